import { ProtobufError, readProtobuf, type ProtobufMessage } from '../../../../base/protobuf.ts'
import type { Fields } from '../../../../base/json.ts'
import { invalid } from '../message.ts'

/*
 * Messages within a session: protocol buffers in binary form. @see protocol of the EKM data plane, "Field numbers"
 */

/** @throws EkmRefusal INVALID_ARGUMENT for anything but a message */
function reading<T>(bytes: Buffer, read: (message: ProtobufMessage) => T): T {
  try {
    return read(readProtobuf(bytes))
  } catch (error) {
    if (error instanceof ProtobufError) throw invalid('The message in the session is not valid.')
    throw error
  }
}

const textOf = (bytes: Buffer | undefined): string | undefined => bytes?.toString('utf8')

function contextOf(message: ProtobufMessage | undefined): Fields | undefined {
  if (message === undefined) return undefined
  const access = message.message(3)
  return {
    fullResourceName: textOf(message.bytes(1)),
    relativeResourceName: textOf(message.bytes(2)),
    accessReasonContext: access && { reason: Number(access.number(1) ?? 0n) },
    isKeyHealthCheck: (message.number(4) ?? 0n) !== 0n,
  }
}

/**
 * WrapRequest or UnwrapRequest, in the form of a body of the same call outside a session.
 * @param content name of field 2
 */
export const readEnvelopeRequest = (bytes: Buffer, content: 'plaintext' | 'wrappedBlob'): Fields =>
  reading(bytes, (message) => ({
    keyPath: textOf(message.bytes(1)),
    [content]: message.bytes(2),
    additionalContext: contextOf(message.message(3)),
    additionalAuthenticatedData: message.bytes(4),
    keyUriPrefix: textOf(message.bytes(5)),
  }))

/** Kinds of evidence and of nonces, by number. */
export interface EvidenceTypes {
  readonly types: readonly number[]
  readonly nonces: readonly number[]
}

export const readEvidenceTypes = (bytes: Buffer): EvidenceTypes =>
  reading(bytes, (message) => ({ types: message.numbers(1).map(Number), nonces: message.numbers(2).map(Number) }))

/** The attestation in AttestationEvidence. */
export const readAttestation = (bytes: Buffer): Buffer | undefined => reading(bytes, (message) => message.bytes(1))

const WIRE_BYTES = 2
const SEVEN_BITS = 0x80

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS)) bytes.push((rest % SEVEN_BITS) | SEVEN_BITS)
  return Buffer.of(...bytes, rest)
}

/** A message whose only field is field 1, with bytes: a WrapResponse, an UnwrapResponse. */
export const onlyField = (content: Buffer): Buffer =>
  content.length === 0
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.of((1 << 3) | WIRE_BYTES), varint(content.length), content])

/**
 * AttestationEvidenceTypeList. Ours: it names no kind of nonce, since every client knows the only one and the cloud's
 * own server names none.
 */
export const evidenceTypes = (types: readonly number[]): Buffer => onlyField(Buffer.from(types))
