import type { Moment } from '../../../base/moment.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import { badRequest, DkeRefusal } from './errors.ts'
import { isPrintable, type Identity } from './identity.ts'
import { membershipOf } from './roles.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

/** The mail address of a person: the claim `email`, or `upn` without it. Trimmed; `undefined` without either. */
export function addressOf({ email, upn }: Identity): string | undefined {
  const claim = email === undefined || email === '' ? upn : email
  return typeof claim === 'string' && claim !== '' ? claim.trim() : undefined
}

/** Why a person may not use the key: the setting of the endpoint that refused, for the access log. */
type Rule = 'auth_tenants' | 'authorization_params' | 'authorized_email_addresses' | 'authorized_roles'

const assertBy = (rule: Rule, isAllowed: boolean, record: { rule?: string | undefined }): void => {
  if (isAllowed) return
  record.rule = rule
  throw new DkeRefusal('FORBIDDEN', 'The caller is not allowed to use this key.')
}

const OID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** @throws DkeRefusal FORBIDDEN; BAD_REQUEST for a token without the claim that decides; Refusal UNAVAILABLE */
export function authorize(
  { domain, authorization, tenants }: ServedEndpoint,
  identity: Identity,
  record: { rule?: string | undefined },
  now: Moment,
): MaybePromise<void> {
  assertBy('auth_tenants', tenants.size === 0 || tenants.has(identity.tid), record)
  assertBy('authorization_params', authorization.by !== 'nobody', record)
  if (authorization.by === 'email') {
    const address = addressOf(identity)
    if (address === undefined) throw badRequest('The token has no mail address.')
    const isAllowed = isPrintable(address) && authorization.allows(address.toLowerCase())
    assertBy('authorized_email_addresses', isAllowed, record)
  } else if (authorization.by === 'role') {
    const { oid, tid } = identity
    if (oid === undefined || !OID.test(oid)) throw badRequest('The token has no id of a person.')
    const { roles } = authorization
    return membershipOf(domain, tid, oid.toLowerCase(), now).then((known) =>
      assertBy(
        'authorized_roles',
        [...roles].some((role) => known.has(role)),
        record,
      ),
    )
  }
}
