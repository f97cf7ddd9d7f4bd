/** A text that is not YAML, or has no counterpart in JSON. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}
