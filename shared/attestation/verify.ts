import { ProtobufError } from '../base/protobuf.ts'
import { DerError } from '../crypto/asn1/der.ts'
import { attestedKey, type AttestedKey } from './attested-key.ts'
import { BANKS, isStrong, type Bank } from './banks.ts'
import { EvidenceError, type Step } from './evidence.ts'
import { readEventLog } from './event-log.ts'
import type { AttestedFacts } from './facts.ts'
import { firmwareFacts } from './firmware.ts'
import { readAttestation, type Attestation, type SignedQuote } from './message.ts'
import { assertNonce, assertPcrs, verifiedQuote } from './quote.ts'
import { assertReplays } from './replay.ts'
import { processorFacts } from './snp.ts'
import type { AttestationTrust } from './trust.ts'

export interface AttestationOptions {
  /** bytes that the evidence must quote; `undefined` omits this check, which only a test of evidence may do */
  readonly nonce: Uint8Array | undefined
  readonly trust: AttestationTrust
  readonly now: Date
}

export interface Refused {
  readonly step: Step
  /** a sentence without a period; it contains no evidence */
  readonly reason: string
}

export interface Verification {
  /** the proved facts; evidence is accepted only if nothing is refused */
  readonly facts: AttestedFacts
  readonly refused: readonly Refused[]
}

/** The result of a check, or its refusal. */
type Checked<T> = { readonly proved: T } | { readonly refused: Refused }

function checked<T>(step: Step, check: () => T): Checked<T> {
  try {
    return { proved: check() }
  } catch (error) {
    if (error instanceof EvidenceError) return { refused: { step: error.step, reason: error.message } }
    if (error instanceof ProtobufError || error instanceof DerError) return { refused: { step, reason: error.message } }
    throw error
  }
}

type BankQuote = SignedQuote & { readonly bank: Bank }

/** The quotes of banks that prove something, best first. @throws EvidenceError when there is none */
function strongQuotes({ quotes }: Attestation): BankQuote[] {
  const found = BANKS.filter(isStrong).flatMap((bank) =>
    quotes.flatMap((quote) => (quote.bank === bank ? [{ ...quote, bank }] : [])),
  )
  if (found.length === 0) throw new EvidenceError('quote', 'the message has no quote of a bank of SHA-2')
  return found
}

/** The events that a quote covers. @throws EvidenceError */
function quotedEvents(quote: BankQuote, { key }: AttestedKey, eventLog: Buffer, nonce: Uint8Array | undefined) {
  const verified = verifiedQuote(quote, key)
  assertNonce(verified, nonce)
  assertPcrs(verified, quote.pcrs, quote.bank)
  const events = readEventLog(eventLog)
  assertReplays(events, quote.bank, quote.pcrs)
  return events
}

/**
 * The facts of the first bank whose quote and log agree: logs and machines do not have every bank. @throws
 * EvidenceError with the refusals of all banks if none agrees
 */
function measuredFacts(attestation: Attestation, key: AttestedKey, nonce: Uint8Array | undefined): Verification {
  const refused: Refused[] = []
  for (const quote of strongQuotes(attestation)) {
    const events = checked('quote', () => quotedEvents(quote, key, attestation.eventLog, nonce))
    if ('proved' in events) return { facts: firmwareFacts(events.proved, quote.bank), refused: [] }
    const { step, reason } = events.refused
    refused.push({ step, reason: `${quote.bank.hash}: ${reason}` })
  }
  return { facts: {}, refused }
}

/**
 * Ours: without a root for processors their reports prove nothing and are ignored, as reports of other vendors are. The
 * firmware and the processor must agree. @throws EvidenceError
 */
function reportedFacts(
  { processor }: Attestation,
  { technology }: AttestedFacts,
  { trust, nonce, now }: AttestationOptions,
): AttestedFacts {
  if (processor === undefined || trust.processors.roots.length === 0) return {}
  const facts = processorFacts(processor, trust.processors, { nonce, now })
  if (technology !== undefined && technology !== 'AMD_SEV_SNP')
    throw new EvidenceError('snp', 'the firmware measured another technology than that of the report')
  return facts
}

const NOTHING: Verification = { facts: {}, refused: [] }

/** Facts and refusals of checks, in their order. */
const together = (...parts: readonly Verification[]): Verification => ({
  facts: parts.reduce<AttestedFacts>((all, { facts }) => ({ ...all, ...facts }), {}),
  refused: parts.flatMap(({ refused }) => refused),
})

const refusedBy = ({ refused }: { readonly refused: Refused }): Verification => ({ facts: {}, refused: [refused] })

/** The machine of the key, and its measurements. */
function machineFacts(attestation: Attestation, { nonce, trust, now }: AttestationOptions): Verification {
  const key = checked('key', () => attestedKey(attestation, trust.machines, now))
  if ('refused' in key) return refusedBy(key)
  const measured = checked('technology', () => measuredFacts(attestation, key.proved, nonce))
  const identity = { facts: key.proved.identity, refused: [] }
  return together(identity, 'refused' in measured ? refusedBy(measured) : measured.proved)
}

/**
 * Verifies the evidence of a machine about itself: the quotes of its virtual TPM, the log of its firmware, and a report
 * of its processor if present. It does not throw for any bytes. A caller that knows more about the machine, such as the
 * claims of a token, compares them with the facts.
 * @param message the attestation message of a session
 */
export function verifyAttestation(message: Uint8Array, options: AttestationOptions): Verification {
  const read = checked('message', () => readAttestation(Buffer.from(message)))
  if ('refused' in read) return refusedBy(read)
  const machine = machineFacts(read.proved, options)
  const report = checked('snp', () => reportedFacts(read.proved, machine.facts, options))
  return together(machine, 'refused' in report ? refusedBy(report) : { ...NOTHING, facts: report.proved })
}
