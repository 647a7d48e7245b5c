/* Which page stands first. Entries of the index ("also called") score up to 100 and stand above all of these. */
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 30,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  // pages that answer a question stand before those that a word merely occurs on
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    if (kind !== "text" && kind !== "title") return score;
    if (docname.startsWith("coming_from/")) return score + 0.4;
    if (docname.startsWith("tutorials/") || docname.startsWith("recipes/")) return score + 0.3;
    if (docname.startsWith("algorithms/") || docname.startsWith("structures/")) return score + 0.1;
    if (docname.startsWith("reference/") || docname === "references" || docname === "papers") return score - 1;
    return score + 0.2;
  },
};
