// All pictures of this page, and the plots that follow them.

window.kinetree = { viewers: [], ready: null };

async function begin() {
  for (const figure of document.querySelectorAll("[data-kinetree]")) {
    const viewer = new Viewer(figure);
    try {
      await viewer.start();
      viewer.lookFrom();
      window.kinetree.viewers.push(viewer);
    } catch (error) { // the still picture stays
      viewer.say(`This browser can't show it in motion: ${error.message}.`);
      figure.classList.add("kt-failed");
      document.documentElement.dataset.failed = error.stack || error.message;
    }
  }
  const moving = window.kinetree.viewers.filter((viewer) => viewer.tracks.length);
  if (moving.length) {
    const seek = (time) => moving.forEach((viewer) => viewer.seek(time));
    const follow = [...document.querySelectorAll("[data-follow]")].map((figure) => follower(figure, seek));
    moving[0].followers.push(...follow);
    moving[0].request();
  }
  document.documentElement.dataset.ready = window.kinetree.viewers.length;
}
window.kinetree.ready = begin();
