"""A bibliography whose labels are the keys, as the code cites them: [Khalil2010], [RBDA]."""

from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style as Unsorted
from pybtex.style.labels import BaseLabelStyle


class KeyLabels(BaseLabelStyle):
    def format_labels(self, sorted_entries):
        return [entry.key for entry in sorted_entries]


class Keys(Unsorted):
    default_label_style = KeyLabels


def setup(app):
    register_plugin("pybtex.style.formatting", "keys", Keys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
