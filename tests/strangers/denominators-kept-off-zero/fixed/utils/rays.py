from .math_utils import safe_divide


def near_far(origins, directions, half):
    """Where each ray enters the box of those half sides, and where it leaves it."""
    one = safe_divide(-half - origins, directions)
    two = safe_divide(half - origins, directions)
    near = one.minimum(two).amax(dim=1)
    far = one.maximum(two).amin(dim=1)
    return near, far
