/** A text that is no YAML, or has no counterpart in JSON. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}
