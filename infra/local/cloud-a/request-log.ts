import type { SimulatedCall } from './faults.ts'

/** Calls as they came, refused ones included. */
export interface RequestLog {
  /** @returns notes afterwards that the call was refused */
  readonly note: (call: SimulatedCall) => (refused: string) => void
  /** Oldest first; the last 10,000. */
  readonly calls: () => readonly SimulatedCall[]
  /** By operation, of all services. */
  readonly counts: () => Readonly<Record<string, number>>
  readonly clear: () => void
}

const KEPT_CALLS = 10_000

/** Members that hold, or may hold, what must not be read anywhere else. */
const SECRET_MEMBERS = new Set([
  'EncryptedKeyMaterial',
  'Plaintext',
  'Message',
  'KeyStorePassword',
  'RawSecretAccessKey',
])

export function createRequestLog(): RequestLog {
  let kept: SimulatedCall[] = []
  let counts: Record<string, number> = {}
  return {
    note: (call) => {
      const entry: SimulatedCall & { refused?: string } = { ...call }
      kept.push(entry)
      if (kept.length >= 2 * KEPT_CALLS) kept = kept.slice(-KEPT_CALLS)
      counts[call.operation] = (counts[call.operation] ?? 0) + 1
      return (refused) => {
        entry.refused = refused
      }
    },
    calls: () => kept.slice(-KEPT_CALLS),
    counts: () => ({ ...counts }),
    clear: () => {
      kept = []
      counts = {}
    },
  }
}

/** The input without its secret members, at any depth. */
export function withoutSecrets(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown = Object.entries(input).filter(([name]) => !SECRET_MEMBERS.has(name))
  return Object.fromEntries(shown.map(([name, value]) => [name, isObject(value) ? withoutSecrets(value) : value]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
