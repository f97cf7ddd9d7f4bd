import type { Value } from '../value.ts'
import { decodeBase64, STANDARD } from './base64.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { certificateOf } from './certificate.ts'
import type { Evaluations } from './deferred.ts'
import { DerError, elementsOf } from './der.ts'
import { stringOperand } from './operands.ts'
import { readable } from './reading.ts'

/** Longest text of certificates. */
const MAX_UNITS = 65_536
/** Parsing a byte costs up to this many steps, and results in up to this many values: each may be an element. */
const STEPS_PER_UNIT = 2
const BEGIN = '-----BEGIN'
const TYPE = 'CERTIFICATE'

function parseCertificates(operands: readonly Value[], context: BuiltinContext): Value {
  const text = stringOperand(operands, 1)
  if (text.length > MAX_UNITS) return context.exceed('a text of certificates is too long')
  context.charge(text.length * STEPS_PER_UNIT)
  const bytes = bytesOf(text)
  context.allocate(bytes.length, bytes.length * 4)
  try {
    return elementsOf(bytes).map(certificateOf)
  } catch (error) {
    if (error instanceof DerError) throw new BuiltinError('x509: malformed certificate')
    throw error
  }
}

/** PEM, or the base64 of PEM or of DER. May contain several certificates in sequence. */
function bytesOf(text: string): Buffer {
  if (text.startsWith(BEGIN)) return bytesOfPem(text)
  const decoded = readable(() => decodeBase64(text, STANDARD))
  const inner = decoded.subarray(0, BEGIN.length).toString('latin1') === BEGIN
  return inner ? bytesOfPem(decoded.toString('latin1')) : decoded
}

/** Text outside PEM blocks is skipped, as in the reference. */
function bytesOfPem(text: string): Buffer {
  const blocks: Buffer[] = []
  for (let at = text.indexOf(`${BEGIN} `); at >= 0;) {
    const type = /^-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n/.exec(text.slice(at, at + 128))?.[1]
    const end = type === undefined ? -1 : text.indexOf(`-----END ${type}-----`, at)
    if (type === undefined || end < 0) break
    if (type !== TYPE) throw new BuiltinError(`PEM block type is '${type}', expected ${TYPE}`)
    const body = text.slice(text.indexOf('\n', at) + 1, end)
    blocks.push(readable(() => decodeBase64(body.replace(/[ \t]/g, ''), STANDARD)))
    at = text.indexOf(`${BEGIN} `, end)
  }
  return Buffer.concat(blocks)
}

export const CERTIFICATES = { 'crypto.x509.parse_certificates': parseCertificates } satisfies Evaluations
