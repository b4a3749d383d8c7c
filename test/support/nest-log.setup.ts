// Nest's logger writes past the console. On the console, a reporter can show a text together with its test, or not at
// all.
process.stdout.write = (text) => {
  console.log(String(text).trimEnd());
  return true;
};
process.stderr.write = (text) => {
  console.error(String(text).trimEnd());
  return true;
};
