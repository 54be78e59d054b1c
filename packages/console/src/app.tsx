/** The page: which part of it a path names. */
export function App() {
  return <h1>Perch</h1>;
}
