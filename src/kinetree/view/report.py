"""A report: one HTML file that needs nothing but a browser, no network and no other file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from kinetree import files
from kinetree.errors import InputError
from kinetree.model.description import robot_summary, robot_table
from kinetree.robot import Robot
from kinetree.scene import html as scene
from kinetree.view.animation import animation_html
from kinetree.view.curves import Curves
from kinetree.view.picture import Picture
from kinetree.view.svg import COLOURS

_FILES = ("report.html", "report.css")


class Report:
    """A page of text, tables, plots and animations, in the order in which they are added.

    Args:
        title: the heading of the page.
        subtitle: a sentence below it.

    Example:
        >>> import tempfile
        >>> import kinetree as kt
        >>> report = Report("Two links")
        >>> report.add_robot(kt.robots.two_link())
        >>> report.add_plot("Angle", [0, 1, 2], {"q1": [0, 1, 4]}, xlabel="time [s]", ylabel="angle [rad]")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = report.write(folder + "/two_link.html")
        ...     path.name, path.stat().st_size > 1000
        ('two_link.html', True)
    """

    def __init__(self, title: str, subtitle: str = "") -> None:
        self.title, self.subtitle = title, subtitle
        self._parts: list[tuple[str, str]] = []  # (kind, HTML)

    def add_text(self, text: str, heading: str = "") -> None:
        """Add paragraphs, separated by empty lines in the text, below an optional heading.

        Example:
            >>> Report("Notes").add_text("The arm swings.", heading="What happens")
        """
        head = f"<h2>{escape(heading)}</h2>\n" if heading else ""
        paragraphs = [f"<p>{escape(p.strip())}</p>" for p in text.split("\n\n") if p.strip()]
        self._parts.append(("text", head + "\n".join(paragraphs)))

    def add_code(self, text: str, heading: str = "") -> None:
        """Add lines of code as they are, below an optional heading.

        Example:
            >>> Report("Lines").add_code("import kinetree as kt", heading="To type")
        """
        head = f"<h2>{escape(heading)}</h2>\n" if heading else ""
        self._parts.append(("code", f"{head}<pre>{escape(text.strip())}</pre>"))

    def add_facts(self, facts: Mapping[str, str]) -> None:
        """Add a row of figures to see at a glance, each a short value by what it means.

        Example:
            >>> Report("Facts").add_facts({"states per second": "12 million"})
        """
        pairs = [(escape(value), escape(label)) for label, value in facts.items()]
        tiles = "\n".join(f'<div class="fact"><dd>{value}</dd><dt>{label}</dt></div>' for value, label in pairs)
        self._parts.append(("figures", f'<dl class="facts">\n{tiles}\n</dl>'))

    def add_table(self, header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> None:
        """Add a table, columns of numbers flush right; tables that follow each other share a row where there is room.

        Args:
            header: the names of the columns, with units.
            rows: as many cells as the header has; anything that has a text.
            caption: stands above.

        Example:
            >>> Report("Masses").add_table(["link", "mass [kg]"], [["upper arm", 4.2], ["forearm", 2.7]])
        """
        cells = [[str(cell) for cell in row] for row in rows]
        for row in cells:
            if len(row) != len(header):
                raise InputError(f"the table has {len(header)} columns ({', '.join(header)}), but a row is {row}")
        numeric = [bool(cells) and all(_is_number(row[k]) for row in cells) for k in range(len(header))]
        marks = [' class="number"' if n else "" for n in numeric]
        head = "".join(f'<th scope="col"{mark}>{escape(name)}</th>' for name, mark in zip(header, marks))
        lines = ("".join(f"<td{mark}>{escape(cell)}</td>" for cell, mark in zip(row, marks)) for row in cells)
        body = "\n".join(f"<tr>{line}</tr>" for line in lines)
        above = f"<caption>{escape(caption)}</caption>" if caption else ""
        table = f"<table>{above}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
        self._parts.append(("tables", f'<div class="table">{table}</div>'))

    def add_robot(self, robot: Robot) -> None:
        """Add a description of a robot: a table of its joints, their types, bodies and masses, and its totals.

        Example:
            >>> import kinetree as kt
            >>> Report("Stanford arm").add_robot(kt.robots.stanford())
        """
        self.add_table(*robot_table(robot), caption=robot_summary(robot))

    def add_plot(
        self,
        title: str,
        x: ArrayLike,
        series: Mapping[str, ArrayLike],
        *,
        xlabel: str = "",
        ylabel: str = "",
        dashed: Collection[str] = (),
        follow: bool = False,
    ) -> None:
        """Add a line plot; plots that follow each other share a row where the window is wide enough.

        Args:
            title, x, series, xlabel, ylabel, dashed: as for `kinetree.view.line_plot`.
            follow: the abscissa is the time of the animations of this page: a line in the plot moves with them.

        Example:
            >>> report = Report("Fall")
            >>> report.add_plot("Height", [0, 1, 2], {"z": [5, 4, 1]}, xlabel="time [s]", ylabel="height [m]")
        """
        self.add_curves(Curves(title, x, series, xlabel=xlabel, ylabel=ylabel, dashed=dashed), follow=follow)

    def add_curves(self, curves: Curves, *, follow: bool = False) -> None:
        """Add a line plot of `Curves`, as `add_plot` does."""
        self._parts.append(("plots", _figure(curves.picture(), follow)))

    def add_pictures(self, pictures: Sequence[Picture], *, follow: bool = False, style: str = "") -> None:
        """Add pictures beside each other; those that follow have a line that moves with the animation."""
        figures = "\n".join(_figure(picture, follow) for picture in pictures)
        self._parts.append(("figures", f'<div style="{style}">\n{figures}\n</div>' if len(pictures) > 1 else figures))

    def add_picture(self, picture: Picture, heading: str = "", caption: str = "") -> None:
        """Add a picture with a heading above and a caption below; those that follow each other share rows.

        Example:
            >>> import kinetree as kt
            >>> Report("Arms").add_picture(kt.view.portrait(kt.robots.ur5()), "ur5", "Six revolute joints.")
        """
        above = f"<h3>{escape(heading)}</h3>\n" if heading else ""
        below = f"\n<figcaption>{escape(caption)}</figcaption>" if caption else ""
        self._parts.append(("pictures", f'<figure class="plot">\n{above}{picture.svg}{below}\n</figure>'))

    def add_animation(self, robot: Robot, t: ArrayLike, q: ArrayLike, *, caption: str = "", **parameters: Any) -> None:
        """Add a three-dimensional animation of a motion.

        Args:
            robot: what moves.
            t: times (n,) [s], rising.
            q: positions (n, nq) [rad, m].
            caption: stands below.
            parameters: values of the model's named parameters.

        Example:
            >>> import kinetree as kt
            >>> Report("Swing").add_animation(kt.robots.two_link(), [0.0, 1.0], [[0.0, 0.0], [1.0, 0.5]])
        """
        self.add_figure(animation_html(robot, t, q, caption, **parameters))

    def add_figure(self, html: str) -> None:
        """Add an animation that `kinetree.view.animation` made."""
        self._parts.append(("motion", html))

    def html(self) -> str:
        """The page as text.

        Example:
            >>> Report("A <b> title").html().count("A &lt;b&gt; title")
            2
        """
        from kinetree import __version__

        folder = resources.files("kinetree.view")
        curves = "".join(f"--kt-{k}: {colour}; " for k, colour in enumerate(COLOURS, 1))
        page, style = (folder.joinpath(name).read_text("utf-8") for name in _FILES)
        return page.format(
            policy=scene.POLICY,
            title=escape(self.title),
            subtitle=f"<p>{escape(self.subtitle)}</p>\n" if self.subtitle else "",
            style=f":root {{ {curves}}}\n{scene.style()}{style}",
            body="\n".join(_sections(self._parts)),
            version=escape(__version__),
            script=scene.script(),
        )

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks: its style and scripts touch nothing else."""
        frame = 'sandbox="allow-scripts allow-downloads" style="width: 100%; height: 40rem; border: 0"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html())}"></iframe>'

    def write(self, path: files.Name) -> Path:
        """Write the page to a file: the whole of it or, when something fails, nothing.

        Args:
            path: of the file; missing folders are made, an existing file is replaced.

        Returns:
            The absolute path.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     Report("Empty").write(folder + "/new/report.html").name
            'report.html'
        """
        files.check_place(path)  # before the page is made
        return files.write(path, self.html().encode("utf-8", errors="replace"))


def _figure(picture: Picture, follow: bool) -> str:
    return f'<figure class="plot"{" data-follow" if follow else ""}>\n{picture.svg}\n</figure>'


def _sections(parts: Sequence[tuple[str, str]]) -> Iterable[str]:
    """The parts of the page; tables and plots that follow each other share a grid."""
    for kind, group in groupby(parts, key=lambda part: part[0]):
        items = [html for _, html in group]
        if kind in ("tables", "plots", "pictures"):
            items = ["\n".join(items)]
        yield from (f'<section class="{kind}">\n{html}\n</section>' for html in items)


def _is_number(text: str) -> bool:
    """Whether a cell reads as a number, perhaps with separators or a percent sign."""
    bare = text.replace(",", "").replace(" ", "").rstrip("%")
    try:
        float(bare)
    except ValueError:
        return bare in ("", "-")
    return True
