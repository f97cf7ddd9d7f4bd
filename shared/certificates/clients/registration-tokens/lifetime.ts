import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../../base/time.ts'

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** Expiry of a registration token (RFC 3339); `undefined` for one without a lifetime. */
export function endOf({
  createdAt,
  lifetime,
}: {
  readonly createdAt: string
  readonly lifetime?: string | undefined
}): string | undefined {
  if (lifetime === undefined) return undefined
  const milliseconds = Number(lifetime.slice(0, -1)) * (UNITS[lifetime.slice(-1)] ?? 0)
  return later(new Date(createdAt), milliseconds).toISOString()
}
