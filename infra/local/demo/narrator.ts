/** Secret members of requests. */
const HIDDEN: ReadonlySet<string> = new Set([
  'password',
  'secret_access_key',
  'key_file',
  'key',
  'authentication',
  'authorization',
])

export type Fields = Readonly<Record<string, unknown>>

/** A request's body on one line, without its secrets. */
const shown = (body: object | string): string =>
  JSON.stringify(body, (name, value: unknown) => (HIDDEN.has(name) ? '(hidden)' : value))

const line = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ')

/** Prints numbered steps, each call below its step, each answer below its call. */
export class Narrator {
  readonly #print: (text: string) => void
  #steps = 0

  constructor(print: (text: string) => void) {
    this.#print = print
  }

  step(title: string): void {
    this.#print(`\n${++this.#steps}. ${title}\n`)
  }

  note(sentence: string): void {
    this.#print(`   ${sentence}\n`)
  }

  request(what: string, body?: object | string): void {
    this.#print(`   ${what}${body === undefined ? '' : ` ${shown(body)}`}\n`)
  }

  /** @param result status of an HTTP answer, or the result of a call to the cloud */
  answer(result: number | 'done' | 'refused', fields: Fields): void {
    this.#print(`     ${result}  ${line(fields)}`.trimEnd() + '\n')
  }
}
