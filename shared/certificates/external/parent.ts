import { notThere, ruleBroken } from '../../base/errors.ts'
import { isSignedBy } from '../../crypto/x509/certificate.ts'
import type { Context } from '../../http/context.ts'
import { externalCas } from './store.ts'

/**
 * Stages that an authority has this external parent. A concurrent deletion of the parent is repeated, and finds it in
 * use.
 * @param parentField the field of the body that names the parent
 * @param unsigned the invalid field, and its rule, if the parent did not sign the certificate
 * @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function relyOnParent(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  { cert, parentId }: { readonly cert: string; readonly parentId: string },
  parentField: string,
  unsigned: readonly [field: string, rule: string],
): Promise<void> {
  const parent = await externalCas.get(caller.domain.id, parentId)
  if (parent === undefined)
    throw notThere('There is no such external CA.', { pointer: `#/${parentField}`, detail: 'is not there' })
  if (!isSignedBy(cert, parent.item.cert)) throw ruleBroken(...unsigned)
  changes.update(externalCas, caller.domain.id, parent, parent.item)
}
