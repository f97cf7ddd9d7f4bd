import type { CloudA, CloudAPlace } from '../../clouds/cloud-a/types.ts'
import { cloudNamed } from '../../clouds/registry.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../errors.ts'
import { connections } from '../../store/connection.ts'
import type { StoredCloudAKms } from '../../store/cloud-a-kms.ts'
import { openConnection } from '../connections/open-connection.ts'

/** Ours: of the 29 seconds of a request; what remains is for writing down what came of it. */
const REQUEST_BUDGET_MS = 25_000

/** Time a request has for all its calls to a cloud together. */
export const requestBudget = (): AbortSignal => AbortSignal.timeout(REQUEST_BUDGET_MS)

export const cloudA = (): Promise<CloudA> => cloudNamed('cloud-a')

/** How the account behind an entry is entered. @throws Refusal STATE_CONFLICT when its connection is gone */
export async function entryOf(
  domain: string,
  kms: StoredCloudAKms,
  budget: AbortSignal,
): Promise<Pick<CloudAPlace, 'connection' | 'role' | 'budget' | 'account'>> {
  const stored = kms.connection_id === undefined ? undefined : await connections.get(domain, kms.connection_id)
  if (stored === undefined)
    throw new Refusal('STATE_CONFLICT', `The KMS entry ${kms.name} has lost its connection: give it another one.`)
  const { assume_role_arn: arn, assume_role_external_id: externalId } = kms
  return {
    connection: await openConnection(domain, stored),
    ...(arn !== undefined && { role: { arn, externalId } }),
    account: kms.account_id,
    budget,
  }
}

/** One region of an entry. @throws Refusal STATE_CONFLICT */
export async function openPlace(
  domain: string,
  kms: StoredCloudAKms,
  { budget, ...where }: Pick<CloudAPlace, 'region' | 'now' | 'budget' | 'patience'>,
): Promise<CloudAPlace> {
  return { ...(await entryOf(domain, kms, budget)), ...where }
}

/** One region of an entry, for a request. @throws Refusal STATE_CONFLICT */
export const placeOf = (
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  kms: StoredCloudAKms,
  region: string,
): Promise<CloudAPlace> =>
  openPlace(caller.domain.id, kms, { region, now, budget: requestBudget(), patience: 'request' })
