import type { CommonFields } from '../../base/ids.ts'
import { makeRequest, readRequest } from '../../crypto/x509/request.ts'
import type { Context } from '../../http/context.ts'
import { namesOf } from '../../http/subject-names.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { assertNameFree } from '../../resource/records.ts'
import { keyNameOf, newAuthorityKey } from '../authority-key.ts'
import { keyOf } from '../subject.ts'
import type { CreateLocalCa } from './model.ts'
import { localCaKind } from './records.ts'
import { CA_OWNER, type StoredLocalCa } from './store.ts'

/**
 * Creates an authority, its key, and a certificate request; the authority then waits for its certificate.
 * @throws Refusal NAME_TAKEN; RULE_BROKEN for names that a request cannot have; TOO_MANY_REQUESTS
 */
export async function newLocalCa(context: Context, body: CreateLocalCa, common: CommonFields): Promise<StoredLocalCa> {
  const { caller, changes } = context
  const { id } = common
  const { name = keyNameOf(id) } = body
  await assertNameFree(localCaKind, context, name)
  const { subject, altNames } = namesOf(body)
  const { keyId, made: csr } = await newAuthorityKey(context, id, keyOf(body), (key) =>
    makeRequest(subject, altNames, key),
  )
  leadToEndpoint(changes, CA_OWNER, caller.domain.id, id)
  return {
    ...common,
    name,
    csr,
    subject: (await readRequest(csr)).subject,
    purpose: { client_authentication: false, user_authentication: false },
    key_id: keyId,
  }
}
