const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The target of a reference within a document: `#/components/schemas/Key`. */
export const pointedAt = (document: unknown, pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), document)

/** A description with all references replaced by their targets. No schema may contain itself. */
export function withoutReferences(document: any): any {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole)
    if (!isObject(value)) return value
    if (typeof value.$ref === 'string') return whole(pointedAt(document, value.$ref))
    return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, whole(below)]))
  }
  return whole(document)
}
