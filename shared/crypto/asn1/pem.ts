import { base64In } from '../../base/base64.ts'
import { counted } from '../../base/counted.ts'

interface PemBlock {
  readonly label: string
  /** base64 without white space */
  readonly body: string
}

/** One block of the text. `fault` states why it cannot be read. */
interface FoundBlock extends PemBlock {
  readonly fault?: string
}

const BEGIN = '-----BEGIN '
const LABEL = /-----BEGIN ([A-Z0-9][A-Z0-9 ]{0,63})-----/y

/** Headers within a block are those of the older encryption, whose keys are derived with MD5. @see RFC 1421 §4.6 */
function faultOf(label: string, body: string): string | undefined {
  if (/^\s*(Proc-Type|DEK-Info):/.test(body))
    return `${label} in the older encryption of OpenSSL (Proc-Type), which is not taken: openssl pkcs8 -topk8 writes it anew`
  if (/^\\[rn]/.test(body)) return `${label} whose line breaks are written as \\n`
  if (!/^\s/.test(body)) return `${label} without a line break after its first line`
  return /^[A-Za-z0-9+/=\s]*$/.test(body) ? undefined : `${label} that is no base64`
}

/**
 * Every block of a text. Text before, between and after blocks is passed over, as tools write it there. Searched for by marks:
 * an expression with both would be quadratic in crafted texts.
 * @see RFC 7468 §2
 */
function blocksOf(text: string): FoundBlock[] {
  const found: FoundBlock[] = []
  for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at + 1)) {
    LABEL.lastIndex = at
    const label = LABEL.exec(text)?.[1]
    if (label === undefined) continue
    const start = LABEL.lastIndex
    const end = text.indexOf('-----', start)
    if (end < 0 || !text.startsWith(`-----END ${label}-----`, end)) {
      found.push({ label, body: '', fault: `${label} without its last line` })
      continue
    }
    const body = text.slice(start, end)
    const fault = faultOf(label, body)
    found.push({ label, body: body.replace(/\s+/g, ''), ...(fault !== undefined && { fault }) })
  }
  return found
}

/**
 * The only block of a text with one of `labels`, whatever else is around it; otherwise the blocks that were found.
 * @see RFC 7468 §2
 */
export function findPem(text: string, labels: readonly string[]): PemBlock | { readonly fault: string } {
  const blocks = blocksOf(text)
  const [wanted, ...others] = blocks.filter(({ label }) => labels.includes(label))
  if (wanted === undefined) {
    const names = [...new Set(blocks.map(({ label, fault }) => fault ?? label))]
    return { fault: names.length === 0 ? 'there is none' : `it has ${names.slice(0, 5).join(', ')}` }
  }
  if (others.length > 0) return { fault: `it has ${counted(others.length + 1, 'block')} of ${wanted.label}` }
  return wanted.fault === undefined ? wanted : { fault: `it has ${wanted.fault}` }
}

/** Bytes of the only block with one of `labels`; otherwise the blocks that were found. @see RFC 7468 §3 */
export function bytesOfPem(text: string, labels: readonly string[]): Buffer | { readonly fault: string } {
  const found = findPem(text, labels)
  if ('fault' in found) return found
  return base64In(found.body) ?? { fault: `it has ${found.label} whose base64 is not canonical` }
}

/** The same; `undefined` without such a block. */
export function pemBytes(text: string, labels: readonly string[]): Buffer | undefined {
  const bytes = bytesOfPem(text, labels)
  return Buffer.isBuffer(bytes) ? bytes : undefined
}

/** A PEM text with lines of 64 characters. @see RFC 7468 §2 */
export const pemOf = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`
