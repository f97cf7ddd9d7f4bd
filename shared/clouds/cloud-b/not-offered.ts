import { Refusal } from '../../base/errors.ts'

/** Refuses fields of a body that are not offered yet, naming each. @throws Refusal NOT_SUPPORTED */
export function assertOffered<F extends string>(
  body: { readonly [Field in F]?: unknown },
  fields: readonly F[],
  message: string,
): void {
  const given = fields.filter((field) => body[field] !== undefined)
  const errors = given.map((field) => ({ pointer: `#/${field}`, detail: 'is not offered yet' }))
  if (given.length > 0) throw new Refusal('NOT_SUPPORTED', message, { errors })
}
