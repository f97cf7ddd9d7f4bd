import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import type { Document, Node } from 'yaml'
import { integer, parseNumber } from '../number.ts'
import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { YamlError } from './yaml-error.ts'

/**
 * The parser takes up to a microsecond for a letter, and up to five for punctuation or a line break: each may be a node
 * or an error.
 */
const STEPS_PER_UNIT = 4
const STEPS_PER_MARK = 20

const marksIn = (text: string): number => text.length - text.replace(/[^\w \t]/g, '').length

/**
 * The value of the first document of a YAML 1.1 text (`yes` is true, `<<` merges), limited to values of JSON. Times
 * stay text. Ours: custom tags are refused, and an alias is charged like a copy of its node.
 * @throws YamlError; LimitError as readJson
 */
export function readYaml(text: string, context: BuiltinContext): Value {
  if (text.length > context.limits.documentUnits) return context.exceed('a YAML text is too long')
  context.charge(1 + text.length * STEPS_PER_UNIT)
  context.charge(marksIn(text) * (STEPS_PER_MARK - STEPS_PER_UNIT))
  const lines = new LineCounter()
  const document = parse(text, lines, context)
  const fault = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS')
  if (fault !== undefined) {
    const { line } = lines.linePos(fault.pos[0])
    throw new YamlError(
      `error converting YAML to JSON: yaml: line ${line}: did not find expected node content: ${fault.code}`,
    )
  }
  if (document.warnings.some(({ code }) => code === 'TAG_RESOLVE_FAILED')) throw new YamlError('yaml: unknown tag')
  return new Walk(context).value(document.contents, 0)
}

function parse(text: string, lineCounter: LineCounter, context: BuiltinContext): Document.Parsed {
  try {
    return parseDocument(text, {
      version: '1.1',
      merge: true,
      uniqueKeys: false,
      intAsBigInt: true,
      strict: false,
      customTags: (tags) =>
        tags.filter((tag) => typeof tag === 'string' || !(tag.tag.endsWith(':timestamp') || isSexagesimal(tag))),
      logLevel: 'silent',
      lineCounter,
      prettyErrors: false, // each error would quote its whole line
    })
  } catch (error) {
    // The parser is recursive, and limited only by the stack.
    if (error instanceof RangeError) return context.exceed('a document is nested too deeply')
    throw error
  }
}

const isSexagesimal = (tag: object): boolean => 'format' in tag && tag.format === 'TIME'

class Walk {
  /** The node of each anchor at this point of the text. The parser's own lookup would search the whole document. */
  private readonly anchors = new Map<string, Node>()
  private readonly context: BuiltinContext

  constructor(context: BuiltinContext) {
    this.context = context
  }

  value(node: Node | null, depth: number): Value {
    if (depth > this.context.limits.documentDepth) return this.context.exceed('a document is nested too deeply')
    this.context.charge(2)
    if (node === null) return null
    if (isAlias(node)) return this.value(this.anchors.get(node.source) ?? this.unknownAlias(), depth + 1)
    if ((isSeq(node) || isMap(node) || isScalar(node)) && node.anchor !== undefined) this.anchors.set(node.anchor, node)
    if (isSeq<Node>(node)) {
      this.context.allocate(node.items.length + 1)
      return node.items.map((item) => this.value(item, depth + 1))
    }
    if (isMap<Node, Node | null>(node)) {
      this.context.allocate(node.items.length + 1)
      return this.object(node.items, depth)
    }
    return this.scalar(isScalar(node) ? node.value : undefined)
  }

  private unknownAlias(): never {
    throw new YamlError('yaml: unknown anchor')
  }

  private object(items: readonly { readonly key: Node; readonly value: Node | null }[], depth: number): RegoObject {
    const object = new RegoObject()
    const merged = new RegoObject()
    for (const { key, value } of items) {
      if (isScalar(key) && this.isMerge(key)) {
        this.mergeInto(merged, this.value(value, depth + 1))
        continue
      }
      const name = this.value(key, depth + 1)
      object.set(keyText(name), this.value(value, depth + 1))
    }
    for (const [name, value] of merged.entries()) if (!object.has(name)) object.set(name, value)
    return object
  }

  /** `<<` unquoted; in quotes it is an ordinary name. */
  private isMerge({ source, value, type }: { source?: string; value: unknown; type?: string }): boolean {
    return (source === '<<' || typeof value === 'symbol') && (type === undefined || type === 'PLAIN')
  }

  /** Of several mappings the earlier one wins. */
  private mergeInto(merged: RegoObject, value: Value): void {
    const sources = Array.isArray(value) ? value : [value]
    for (const source of sources) {
      if (!(source instanceof RegoObject))
        throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
      this.context.charge(source.size)
      this.context.allocate(source.size)
      for (const [name, member] of source.entries()) if (!merged.has(name)) merged.set(name, member)
    }
  }

  private double(value: number): Value {
    const number = parseNumber(String(value))
    if (number === undefined) throw new YamlError('json: unsupported value')
    return number
  }

  private scalar(value: unknown): Value {
    switch (typeof value) {
      case 'string':
        this.context.allocate(1, value.length)
        return value.toWellFormed()
      case 'boolean':
        return value
      case 'bigint':
        return BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value
          ? integer(value)
          : this.double(Number(value))
      case 'number':
        return this.double(value)
      default:
        if (value === null) return null
        if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
        throw new YamlError('yaml: a value that JSON does not have')
    }
  }
}

/** Names of members are text in JSON. */
function keyText(key: Value): string {
  if (typeof key === 'string') return key
  if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') return String(key)
  throw new YamlError('yaml: unsupported map key')
}
