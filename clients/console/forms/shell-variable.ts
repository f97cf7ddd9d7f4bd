/** A secret in a shown call: a variable of a shell takes its place. No text in a body is one, whatever it contains. */
export class ShellVariable {
  readonly name: string

  /** @param field name of the field */
  constructor(field: string) {
    this.name = field.replace(/\W+/g, '_').toUpperCase()
  }

  toJSON(): string {
    return `$${this.name}`
  }
}
