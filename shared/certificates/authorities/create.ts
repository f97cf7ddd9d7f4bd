import { commonFields, uuid } from '../../base/ids.ts'
import { makeRequest, readRequest } from '../../crypto/x509/request.ts'
import type { Context } from '../../http/context.ts'
import { namesOf } from '../../http/subject-names.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { assertNameFree, stageNew } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { keyNameOf, newAuthorityKey } from '../authority-key.ts'
import { uriOf } from '../identifiers.ts'
import { keyOf } from '../subject.ts'
import type { CreateLocalCa, LocalCa } from './model.ts'
import { localCaKind } from './records.ts'
import { CA_OWNER } from './store.ts'

/**
 * Makes an authority and its key. It waits for its certificate, of which it has a request.
 * @throws Refusal NAME_TAKEN; RULE_BROKEN for names that no request can have; TOO_MANY_REQUESTS
 */
export async function createLocalCa(context: Context, body: CreateLocalCa): Promise<Stored<LocalCa>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const kind = localCaKind(now)
  const id = uuid(now)
  const { name = keyNameOf(id) } = body
  await assertNameFree(kind, context, name)
  const { subject, altNames } = namesOf(body)
  const { keyId, made: csr } = await newAuthorityKey(context, id, keyOf(body), (key) =>
    makeRequest(subject, altNames, key),
  )
  leadToEndpoint(changes, CA_OWNER, domain, id)
  return stageNew(kind, context, {
    ...commonFields(domain, id, uriOf(domain, 'local-ca', id), now),
    name,
    csr,
    subject: (await readRequest(csr)).subject,
    purpose: { client_authentication: false, user_authentication: false },
    key_id: keyId,
  })
}
