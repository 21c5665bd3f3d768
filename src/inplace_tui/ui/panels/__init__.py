"""One module a panel: a view goes in, a domain message comes out."""
