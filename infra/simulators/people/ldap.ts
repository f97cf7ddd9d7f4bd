import * as asn1js from 'asn1js'

/* LDAP messages by a library: the simulated directory must not share defects of the product's client. */

type Block = asn1js.BaseBlock

const CLASS = { application: 2, context: 3 } as const

/** Requests, and answers to them, by their tag. @see RFC 4511 §4.2 to §4.12 */
export const OPERATION = { bind: 0, unbind: 2, search: 3, extended: 23 } as const
const ANSWER = { bind: 1, entry: 4, searchDone: 5, extended: 24 } as const

/** @see RFC 4511 §4.1.9 */
export const RESULT = {
  success: 0,
  protocolError: 2,
  sizeLimitExceeded: 4,
  authMethodNotSupported: 7,
  noSuchObject: 32,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
} as const

/** Bytes that are no request of LDAP; the connection ends. */
export class NotLdap extends Error {
  override readonly name = 'NotLdap'
}

/** A request: its number, its operation, and the parts of that. */
export interface Message {
  readonly id: number
  readonly operation: number
  readonly parts: readonly Block[]
  /** number of bytes */
  readonly length: number
}

export const partsOf = (block: Block): readonly Block[] =>
  block instanceof asn1js.Constructed ? block.valueBlock.value : []
export const tagOf = (block: Block): number => block.idBlock.tagNumber
export const textOf = (block: Block | undefined): string => bytesOf(block).toString('utf8')

function bytesOf(block: Block | undefined): Buffer {
  if (block instanceof asn1js.OctetString || block instanceof asn1js.Primitive)
    return Buffer.from(block.valueBlock.valueHexView)
  throw new NotLdap('A text is missing')
}

export function numberOf(block: Block | undefined): number {
  if (block instanceof asn1js.Integer) return block.valueBlock.valueDec // an Enumerated is one
  throw new NotLdap('A number is missing')
}

/** The first message of the bytes; `undefined` while it is incomplete. @throws NotLdap */
export function readMessage(bytes: Buffer): Message | undefined {
  const length = lengthOf(bytes)
  if (length === undefined || bytes.length < length) return undefined
  const { result, offset } = asn1js.fromBER(bytes.subarray(0, length))
  const [id, request] = offset === -1 ? [] : partsOf(result)
  if (request?.idBlock.tagClass !== CLASS.application) throw new NotLdap('This is no message')
  return { id: numberOf(id), operation: tagOf(request), parts: partsOf(request), length }
}

/** Bytes of a message with its header, which is a sequence of definite length. @throws NotLdap */
function lengthOf(bytes: Buffer): number | undefined {
  const [tag, first] = bytes
  if (tag !== undefined && tag !== 0x30) throw new NotLdap('This is no sequence')
  if (first === undefined) return undefined
  if (first < 0x80) return 2 + first
  const lengthBytes = first - 0x80
  if (lengthBytes < 1 || lengthBytes > 3) throw new NotLdap('This message is too long')
  return bytes.length < 2 + lengthBytes ? undefined : 2 + lengthBytes + bytes.readUIntBE(2, lengthBytes)
}

const text = (value: string): Block => new asn1js.OctetString({ valueHex: Buffer.from(value) })

function message(id: number, tagNumber: number, value: Block[]): Buffer {
  const answer = new asn1js.Constructed({ idBlock: { tagClass: CLASS.application, tagNumber }, value })
  return Buffer.from(new asn1js.Sequence({ value: [new asn1js.Integer({ value: id }), answer] }).toBER())
}

const result = (id: number, tag: number, code: number): Buffer =>
  message(id, tag, [new asn1js.Enumerated({ value: code }), text(''), text('')])

export const bindAnswer = (id: number, code: number): Buffer => result(id, ANSWER.bind, code)
export const searchDone = (id: number, code: number): Buffer => result(id, ANSWER.searchDone, code)
export const extendedAnswer = (id: number, code: number): Buffer => result(id, ANSWER.extended, code)

/** An entry that was found. @see RFC 4511 §4.5.2 */
export const entryAnswer = (
  id: number,
  dn: string,
  attributes: readonly (readonly [string, readonly string[]])[],
): Buffer =>
  message(id, ANSWER.entry, [
    text(dn),
    new asn1js.Sequence({
      value: attributes.map(
        ([name, values]) => new asn1js.Sequence({ value: [text(name), new asn1js.Set({ value: values.map(text) })] }),
      ),
    }),
  ])
