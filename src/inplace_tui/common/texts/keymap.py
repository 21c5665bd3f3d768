"""What is said about a learner's own keys, and by `inplace-tui keys`."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class KeymapTexts:
    """What is wrong with a keymap."""

    unreadable = T("can't be read: {why}")
    too_deep = T("nested too deeply")
    no_toml = T("not TOML: {why}")
    no_action = T("no action is called '{name}'{hint}")
    no_key = T("no key is called '{key}'{hint}")
    no_keys = T("'{name}' needs a key, like \"n\", or a list of keys")
    same_key = T("a terminal sends {key} as {other}; '{name}' keeps its keys")
    taken = T("{key} has a meaning of its own in every panel; '{name}' keeps its keys")
    conflict = T("{key} would be '{name}' and '{other}' on one screen; '{name}' keeps its keys")
    locked_in = T("'quit' needs a key that works while you type, like Ctrl-Q; it keeps its keys")
    more = T("`inplace-tui keys` tells {count} more. {first}")


class KeyTexts:
    """What `keys` says."""

    lead = T("Press keys to see what this terminal sends. q twice, or Ctrl-C, leaves.")
    file = T("Your own keys: {path}")
    no_file = T("there is none yet")
    key = T("key")
    bytes = T("bytes")
    character = T("character")
    action = T("action")
    none = T("none")
    not_a_key = T("not a key")
