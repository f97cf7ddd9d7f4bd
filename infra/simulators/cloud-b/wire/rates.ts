import { textAt, objectAt, type Body } from './body.ts'

/** Maximum number of calls to a vault in ten seconds. */
export interface Rates {
  /** Creations and imports of keys in hardware. */
  readonly hsmKeys?: number
  /** Creations and imports of other keys. */
  readonly softwareKeys?: number
  /** Everything else. */
  readonly others?: number
}

/** Published limits. */
const REAL_RATES: Rates = { hsmKeys: 10, softwareKeys: 20, others: 4_000 }
const WINDOW_MS = 10_000

export interface RateLimits {
  readonly set: (rates: 'off' | 'real' | Rates) => void
  /** Counts a call. @returns seconds to wait if it exceeds the limit */
  readonly take: (vault: string, operation: string, body: Body) => number | undefined
}

const MAKES_KEYS = ['KeyCreate', 'KeyImport', 'KeyRotate']

function kindOf(operation: string, body: Body): keyof Rates {
  if (!MAKES_KEYS.includes(operation)) return 'others'
  const kty = textAt(objectAt(body, 'key') ?? body, 'kty') ?? ''
  return kty.endsWith('-HSM') || body.Hsm === true ? 'hsmKeys' : 'softwareKeys'
}

/** Counts in whole windows of ten seconds. @param now in milliseconds */
export function createRateLimits(now: () => number): RateLimits {
  let rates: Rates = {}
  const counts = new Map<string, { window: number; calls: number }>()
  return {
    set: (wanted) => {
      rates = wanted === 'off' ? {} : wanted === 'real' ? REAL_RATES : wanted
      counts.clear()
    },
    take: (vault, operation, body) => {
      const kind = kindOf(operation, body)
      const most = rates[kind]
      if (most === undefined) return undefined
      const at = now()
      const window = Math.floor(at / WINDOW_MS)
      const before = counts.get(`${kind} ${vault}`)
      const calls = before?.window === window ? before.calls : 0
      if (calls >= most) return Math.ceil(((window + 1) * WINDOW_MS - at) / 1000)
      counts.set(`${kind} ${vault}`, { window, calls: calls + 1 })
      return undefined
    },
  }
}
