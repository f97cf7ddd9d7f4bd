import { readProtobuf, type ProtobufMessage } from '../base/protobuf.ts'
import { EvidenceError } from './evidence.ts'
import { bankNumbered, type Bank } from './banks.ts'

/** A quote of a TPM over one bank of its registers, as the message contains it. */
export interface SignedQuote {
  /** TPMS_ATTEST */
  readonly quote: Buffer
  /** TPMT_SIGNATURE */
  readonly signature: Buffer
  /** `undefined` for an unknown hash */
  readonly bank: Bank | undefined
  /** values by index */
  readonly pcrs: ReadonlyMap<number, Buffer>
}

/** A report of a processor, and the certificates that came with it. */
export interface ProcessorEvidence {
  readonly report: ProtobufMessage
  /** DER, empty when absent */
  readonly certificates: { readonly vcek: Buffer; readonly vlek: Buffer; readonly above: readonly Buffer[] }
}

/** The message that a session's client sends about its machine. */
export interface Attestation {
  /** TPMT_PUBLIC */
  readonly keyPublic: Buffer | undefined
  /** DER; absent on machines whose key the cloud has not certified */
  readonly keyCertificate: Buffer | undefined
  /** DER */
  readonly intermediates: readonly Buffer[]
  readonly quotes: readonly SignedQuote[]
  readonly eventLog: Buffer
  readonly processor: ProcessorEvidence | undefined
}

/** Ours: several times the size of the evidence of any machine. */
const MESSAGE_BYTES = 1_048_576
const [QUOTES_MOST, CERTIFICATES_MOST, CERTIFICATE_BYTES] = [16, 8, 16_384]

/* Field numbers. Field 4, instance information, is a claim of the client; field 9, for TDX, is not verified here. */
const ATTESTATION = { keyPublic: 1, quotes: 2, eventLog: 3, keyCertificate: 6, intermediates: 7, snp: 8 } as const
const QUOTE = { quote: 1, signature: 2, pcrs: 3 } as const
const PCRS = { hash: 1, values: 2 } as const
const ENTRY = { key: 1, value: 2 } as const
const SNP = { report: 1, chain: 2 } as const
const CHAIN = { vcek: 1, ask: 2, ark: 3, vlek: 6 } as const

const NONE = Buffer.alloc(0)
const broken = (reason: string): EvidenceError => new EvidenceError('message', reason)

function pcrsIn(pcrs: ProtobufMessage | undefined): Map<number, Buffer> {
  const values = new Map<number, Buffer>()
  for (const bytes of pcrs?.all(PCRS.values) ?? []) {
    const entry = readProtobuf(bytes)
    values.set(Number(entry.number(ENTRY.key) ?? 0n), entry.bytes(ENTRY.value) ?? NONE)
  }
  return values
}

function quoteIn(bytes: Buffer): SignedQuote {
  const message = readProtobuf(bytes)
  const pcrs = message.message(QUOTE.pcrs)
  return {
    quote: message.bytes(QUOTE.quote) ?? NONE,
    signature: message.bytes(QUOTE.signature) ?? NONE,
    bank: bankNumbered(Number(pcrs?.number(PCRS.hash) ?? 0n)),
    pcrs: pcrsIn(pcrs),
  }
}

function processorIn(message: ProtobufMessage | undefined): ProcessorEvidence | undefined {
  const report = message?.message(SNP.report)
  if (report === undefined) return undefined
  const chain = message?.message(SNP.chain)
  const one = (number: number): Buffer => chain?.bytes(number) ?? NONE
  return {
    report,
    certificates: {
      vcek: one(CHAIN.vcek),
      vlek: one(CHAIN.vlek),
      above: [one(CHAIN.ask), one(CHAIN.ark)].filter(({ length }) => length > 0),
    },
  }
}

/** @throws EvidenceError, ProtobufError for anything but an attestation message */
export function readAttestation(bytes: Buffer): Attestation {
  if (bytes.length > MESSAGE_BYTES) throw broken(`the message is longer than ${MESSAGE_BYTES} bytes`)
  const message = readProtobuf(bytes)
  const [quotes, intermediates] = [message.all(ATTESTATION.quotes), message.all(ATTESTATION.intermediates)]
  if (quotes.length > QUOTES_MOST) throw broken(`the message has more than ${QUOTES_MOST} quotes`)
  const keyCertificate = message.bytes(ATTESTATION.keyCertificate)
  const certificates = keyCertificate === undefined ? intermediates : [keyCertificate, ...intermediates]
  if (intermediates.length > CERTIFICATES_MOST || certificates.some(({ length }) => length > CERTIFICATE_BYTES))
    throw broken('the message has too many or too long certificates')
  return {
    keyPublic: message.bytes(ATTESTATION.keyPublic),
    keyCertificate,
    intermediates,
    quotes: quotes.map(quoteIn),
    eventLog: message.bytes(ATTESTATION.eventLog) ?? NONE,
    processor: processorIn(message.message(ATTESTATION.snp)),
  }
}
