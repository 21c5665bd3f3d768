from communication.reduce_scatter import ReduceScatter

__all__ = ["ReduceScatter"]
