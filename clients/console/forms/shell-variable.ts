/**
 * A shell variable that replaces a secret in a shown call. It is a class of its own, so that no text in a body can be
 * mistaken for it.
 */
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
