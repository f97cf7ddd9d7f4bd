/** Version 00 and later versions, which may append fields. @see W3C Trace Context, section 3.2 */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

const isZero = (hex: string): boolean => /^0+$/.test(hex)

/**
 * The trace of the caller: 32 hexadecimal digits from the header `traceparent`. Undefined without a valid header, which
 * is then ignored.
 */
export function traceOf(traceparent: string | undefined): string | undefined {
  const [, version = '', trace = '', span = '', more] = TRACEPARENT.exec(traceparent ?? '') ?? []
  const isValid = trace !== '' && version !== 'ff' && !isZero(trace) && !isZero(span)
  return isValid && (version !== '00' || more === undefined) ? trace : undefined
}
