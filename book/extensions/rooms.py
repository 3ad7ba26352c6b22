"""Room for each widget of a page before it comes: as high as it was when it was last measured, on a phone and wide.

``python -m book measure rooms --write`` measures a built site into ``book/rooms.json``. A widget that is new has the
room of its name on another page, or what is common among its kind, until then.
"""

from __future__ import annotations

import json
import re
import statistics
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[1] / "rooms.json"
VIEW = "application/vnd.jupyter.widget-view+json"
_VIEW = re.compile(rf'<script type="{re.escape(VIEW)}">(.*?)</script>', re.DOTALL)

Room = tuple[float, float]  # heights on a narrow screen and on a wide one [px]


def name_of(state: dict[str, Any]) -> str:
    """What a widget is called in the table: its kind, and a sketch's title; "" if it is none of the book's."""
    kind = str(state.get("_anywidget_id", "")).rsplit(".", 1)[-1]
    title = (state.get("scene") or {}).get("title", "")
    return f"{kind}: {title}" if title else kind


@cache
def _table() -> dict[str, dict[str, Room]]:
    found: dict[str, dict[str, Room]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def room_of(page: str, name: str) -> Room | None:
    """The room for a widget of a page; None if nothing like it was ever measured."""
    table = _table()
    if own := table.get(page, {}).get(name):
        return own
    rooms = [(other, room) for one in table.values() for other, room in one.items()]
    kind = name.split(":")[0]
    alike = [room for other, room in rooms if other == name]
    alike = alike or [room for other, room in rooms if other.split(":")[0] == kind]
    if not alike:
        return None
    narrow, wide = (statistics.median_low(heights) for heights in zip(*alike, strict=True))
    return narrow, wide


def with_rooms(html: str, page: str, states: dict[str, dict[str, Any]]) -> str:
    """The page with a place behind each view of a widget, where it will be put."""

    def with_place(view: re.Match[str]) -> str:
        model = states.get(json.loads(view[1])["model_id"], {})
        room = room_of(page, name_of(model.get("state", {})))
        style = f' style="--narrow: {room[0]}px; --wide: {room[1]}px"' if room else ""
        return f'{view[0]}<div class="widget-room"{style}></div>'

    return _VIEW.sub(with_place, html)


def write(measured: dict[str, dict[str, Room]]) -> None:
    """Keep what was measured, beside what is known of other pages."""
    table = {**_table(), **measured} if TABLE.is_file() else measured
    TABLE.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
