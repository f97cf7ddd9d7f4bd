import type { Trace } from '../../base/network/trace.ts'

/** Version 00 and later versions, which may append fields. @see W3C Trace Context, section 3.2 */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const isZero = (hex: string): boolean => /^0+$/.test(hex)

/** The flags of version 00 that this service passes on: whether the trace is recorded. */
const RECORDED = 0x01

/**
 * The trace of the caller, from the header `traceparent`. Undefined without a valid header, which is then ignored. Flags
 * that no version 00 has are not passed on.
 */
export function traceOf(traceparent: string | undefined): Trace | undefined {
  const [, version = '', id = '', span = '', flags = '', more] = TRACEPARENT.exec(traceparent ?? '') ?? []
  const isValid = id !== '' && version !== 'ff' && !isZero(id) && !isZero(span)
  if (!isValid || (version === '00' && more !== undefined)) return undefined
  return { id, flags: (Number.parseInt(flags, 16) & RECORDED) === 0 ? '00' : '01', parent: span }
}
