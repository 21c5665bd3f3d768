"""Ways to hand the tensor `x` to a function.

Each gives the arguments, the keyword arguments, and what the function calls with them to have `x`.
"""


def position(x):
    return (x,), {}, lambda given: given


def keyword(x):
    return (), {"given": x}, lambda given: given


def in_a_list(x):
    return ([x],), {}, lambda given: given[0]


def in_a_tuple(x):
    return ((x,),), {}, lambda given: given[0]


def in_a_dict(x):
    return ({"x": x},), {}, lambda given: given["x"]


def attribute(x):
    class Holder:
        pass

    holder = Holder()
    holder.x = x
    return (holder,), {}, lambda given: given.x


def closure(x):
    return (), {}, lambda: x


def default(x):
    return (), {}, lambda given=x: given


def view(x):
    return (x.view(x.shape),), {}, lambda given: given


def detached(x):
    return (x.detach(),), {}, lambda given: given


def copied(x):
    return (x.clone(),), {}, lambda given: given
