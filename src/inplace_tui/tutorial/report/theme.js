{
  const dark = document.getElementById("dark"), preferred = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { dark.checked = preferred.matches; };
  preferred.addEventListener("change", follow);
  follow();
  dark.addEventListener("change", () => {
    document.documentElement.style.colorScheme = dark.checked ? "dark" : "light";
  });
  document.getElementById("theme").hidden = false;
}
