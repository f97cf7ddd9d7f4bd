import { parseNumber } from '../number.ts'
import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { chargeText } from './charging.ts'

/** A text that is not JSON; the message contains the reason. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

/**
 * The value of a JSON text, with numbers as exact as written (`JSON.parse` would round them). The last of repeated
 * members counts.
 * @throws JsonSyntaxError; LimitError above `documentUnits`, `documentDepth` and the values that an evaluation may keep
 */
export function readJson(text: string, context: BuiltinContext): Value {
  if (text.length > context.limits.documentUnits) return context.exceed('a JSON text is too long')
  chargeText(context, text.length)
  return new JsonReader(text, context).document()
}

const SPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Plain characters of a string, and one escape; matched separately, because repeating a choice would use the stack. */
const PLAIN = /[^"\\\x00-\x1f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const WORDS: readonly (readonly [string, Value])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
]

class JsonReader {
  private at = 0
  private readonly text: string
  private readonly context: BuiltinContext

  constructor(text: string, context: BuiltinContext) {
    this.text = text
    this.context = context
  }

  document(): Value {
    this.match(SPACE)
    const value = this.value(0)
    this.match(SPACE)
    if (this.at < this.text.length) this.fail('after top-level value')
    return value
  }

  private fail(where: string): never {
    const character = this.text.codePointAt(this.at)
    if (character === undefined) throw new JsonSyntaxError('unexpected end of JSON input')
    throw new JsonSyntaxError(`invalid character '${String.fromCodePoint(character)}' ${where}`)
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** Consumes `character` and the blanks around it. */
  private take(character: string): boolean {
    this.match(SPACE)
    if (this.text[this.at] !== character) return false
    this.at += 1
    this.match(SPACE)
    return true
  }

  private value(depth: number): Value {
    if (depth > this.context.limits.documentDepth) return this.context.exceed('a document is nested too deeply')
    this.context.charge(1)
    this.context.allocate(1)
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth)
      case '[':
        return this.array(depth)
      case '"':
        return this.string()
      default:
        return this.scalar()
    }
  }

  private scalar(): Value {
    const word = WORDS.find(([name]) => this.text.startsWith(name, this.at))
    if (word !== undefined) {
      this.at += word[0].length
      return word[1]
    }
    const written = this.match(NUMBER)
    const number = written === undefined ? undefined : parseNumber(written)
    return number ?? this.fail('looking for beginning of value')
  }

  private string(): string {
    const start = this.at
    this.at += 1
    do this.match(PLAIN)
    while (this.match(ESCAPE) !== undefined)
    if (this.text[this.at] !== '"') return this.fail('in string literal')
    this.at += 1
    this.context.allocate(0, this.at - start)
    return String(JSON.parse(this.text.slice(start, this.at))).toWellFormed()
  }

  private array(depth: number): Value {
    const elements: Value[] = []
    this.take('[')
    if (this.take(']')) return elements
    do elements.push(this.value(depth + 1))
    while (this.take(','))
    return this.take(']') ? elements : this.fail('after array element')
  }

  private object(depth: number): Value {
    const object = new RegoObject()
    this.take('{')
    if (this.take('}')) return object
    do {
      if (this.text[this.at] !== '"') this.fail('looking for beginning of object key string')
      const key = this.string()
      if (!this.take(':')) this.fail('after object key')
      object.set(key, this.value(depth + 1))
    } while (this.take(','))
    return this.take('}') ? object : this.fail('after object key:value pair')
  }
}
