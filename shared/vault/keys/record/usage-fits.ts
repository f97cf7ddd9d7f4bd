import { ruleBroken } from '../../../base/errors.ts'
import { objectTypeRow, type ObjectType } from '../../../crypto/object-types.ts'
import { USAGE } from '../../../crypto/usage.ts'

/** The rule that a usage mask violates: objects that are not keys can only be exported. */
export const usageFault = (type: ObjectType, usageMask = 0): string | undefined =>
  objectTypeRow(type).isKey || (usageMask & ~USAGE.export) === 0
    ? undefined
    : `of a ${type} must be 0, or ${USAGE.export} for export`

/** @throws Refusal RULE_BROKEN */
export function assertUsageFits(
  { objectType }: { readonly objectType: ObjectType },
  { usageMask }: { readonly usageMask?: number | undefined },
): void {
  const fault = usageFault(objectType, usageMask)
  if (fault !== undefined) throw ruleBroken('usageMask', fault)
}
