import { hash, sign, type KeyObject } from 'node:crypto'

/** Structures of a TPM and of the log of its firmware, as machines write them. */

export const BANK_IDS = { sha1: 4, sha256: 11, sha384: 12, sha512: 13 } as const
export type BankName = keyof typeof BANK_IDS
const BANK_BYTES = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const

export const big = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}
export const little = (value: number, bytes: number): Buffer => Buffer.from(big(value, bytes)).reverse()
const sized = (bytes: Uint8Array): Buffer => Buffer.concat([big(bytes.length, 2), bytes])

/** restricted, sign, fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth */
export const ATTESTATION_ATTRIBUTES = 0x5_0072

const fromText = (text = ''): Buffer => Buffer.from(text, 'base64url')

/** TPMT_PUBLIC of a signing key. */
export function publicArea(key: KeyObject, attributes = ATTESTATION_ATTRIBUTES): Buffer {
  const { kty, n, x, y } = key.export({ format: 'jwk' })
  const head = (type: number): Buffer =>
    Buffer.concat([big(type, 2), big(BANK_IDS.sha256, 2), big(attributes, 4), sized(Buffer.alloc(0))])
  if (kty === 'RSA')
    return Buffer.concat([
      head(0x0001),
      big(0x0010, 2), // no symmetric cipher
      big(0x0014, 2), // RSASSA with SHA-256
      big(BANK_IDS.sha256, 2),
      big(2048, 2),
      big(0, 4), // the usual exponent
      sized(fromText(n)),
    ])
  return Buffer.concat([
    head(0x0023),
    big(0x0010, 2),
    big(0x0018, 2), // ECDSA with SHA-256
    big(BANK_IDS.sha256, 2),
    big(0x0003, 2), // P-256
    big(0x0010, 2), // no key derivation
    sized(fromText(x)),
    sized(fromText(y)),
  ])
}

/** TPMT_SIGNATURE of a quote. */
export function signature(quote: Buffer, key: KeyObject, bank: BankName): Buffer {
  if (key.asymmetricKeyType === 'rsa')
    return Buffer.concat([big(0x0014, 2), big(BANK_IDS[bank], 2), sized(sign(bank, quote, key))])
  const numbers = sign(bank, quote, { key, dsaEncoding: 'ieee-p1363' })
  const half = numbers.length / 2
  const parts = [numbers.subarray(0, half), numbers.subarray(half)].map(sized)
  return Buffer.concat([big(0x0018, 2), big(BANK_IDS[bank], 2), ...parts])
}

export interface QuoteFields {
  readonly magic: number
  readonly type: number
  readonly extraData: Uint8Array
  readonly bank: BankName
  readonly indexes: readonly number[]
  readonly digest: Buffer
}

function selected(indexes: readonly number[]): Buffer {
  const bitmap = Buffer.alloc(3)
  for (const index of indexes) bitmap[index >> 3] = bitmap.readUInt8(index >> 3) | (1 << (index & 7))
  return bitmap
}

/** TPMS_ATTEST. */
export const quoteOf = ({ magic, type, extraData, bank, indexes, digest }: QuoteFields): Buffer =>
  Buffer.concat([
    big(magic, 4),
    big(type, 2),
    sized(Buffer.alloc(34, 7)), // name of the key
    sized(extraData),
    Buffer.alloc(25), // clock and firmware
    big(1, 4),
    big(BANK_IDS[bank], 2),
    big(3, 1),
    selected(indexes),
    sized(digest),
  ])

export interface TestEvent {
  readonly pcr: number
  readonly type: number
  readonly data: Buffer
  /** what is measured, if not the data */
  readonly measured?: Buffer
}

export const ucs2 = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le')

const digestOf = ({ data, measured = data }: TestEvent, bank: BankName): Buffer => hash(bank, measured, 'buffer')

/** Values of all registers after the events. */
export function measured(events: readonly TestEvent[], bank: BankName, locality = 0): Map<number, Buffer> {
  const values = new Map(Array.from({ length: 24 }, (_, pcr) => [pcr, Buffer.alloc(BANK_BYTES[bank])] as const))
  values.get(0)?.fill(locality, BANK_BYTES[bank] - 1)
  for (const event of events) {
    if (event.type === 3) continue
    const before = values.get(event.pcr) ?? Buffer.alloc(0)
    values.set(event.pcr, hash(bank, Buffer.concat([before, digestOf(event, bank)]), 'buffer'))
  }
  return values
}

const legacy = (event: TestEvent): Buffer =>
  Buffer.concat([
    little(event.pcr, 4),
    little(event.type, 4),
    event.type === 3 ? Buffer.alloc(20) : digestOf(event, 'sha1'),
    little(event.data.length, 4),
    event.data,
  ])

/** A log in the older form, which has SHA-1 only. */
export const legacyLog = (events: readonly TestEvent[]): Buffer => Buffer.concat(events.map(legacy))

/** A log in the crypto-agile form. */
export function agileLog(events: readonly TestEvent[], banks: readonly BankName[]): Buffer {
  const specification = Buffer.concat([
    Buffer.from('Spec ID Event03\0'),
    Buffer.from([0, 0, 0, 0, 0, 2, 0, 2]), // class, version 2.0, size of UINTN
    little(banks.length, 4),
    ...banks.map((bank) => Buffer.concat([little(BANK_IDS[bank], 2), little(BANK_BYTES[bank], 2)])),
    Buffer.of(0),
  ])
  const rest = events.map((event) =>
    Buffer.concat([
      little(event.pcr, 4),
      little(event.type, 4),
      little(banks.length, 4),
      ...banks.map((bank) => Buffer.concat([little(BANK_IDS[bank], 2), digestOf(event, bank)])),
      little(event.data.length, 4),
      event.data,
    ]),
  )
  return Buffer.concat([legacy({ pcr: 0, type: 3, data: specification }), ...rest])
}
