import { dueAfter } from '../../base/attempts.ts'
import { Refusal } from '../../base/errors.ts'
import { commonFields, ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME, uuid } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import { NO_ALT_NAMES } from '../../crypto/x509/alt-names.ts'
import { makeRequest, readRequest } from '../../crypto/x509/request.ts'
import { alsoRecorded } from '../../http/audit/also-recorded.ts'
import type { Context } from '../../http/context.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { leadToEndpoint } from '../../store/owner.ts'
import { stageNew } from '../../resource/records.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { caStateAt, certified, localCaKind, type CertifiedCa } from '../authorities/records.ts'
import { CA_OWNER, localCas } from '../authorities/store.ts'
import { keyNameOf, newAuthorityKey } from '../authority-key.ts'
import { factsOf } from '../facts.ts'
import { uriOf } from '../identifiers.ts'
import { stageCertificate } from '../issued/issue.ts'
import { validityOf } from '../validity.ts'
import { domainCaPlans, type DomainCaPlan } from './store.ts'

const DAYS = 3_650
const SUFFIX = ' CA'
/** Limits of a record's name, and of a common name (RFC 5280 §A.1). */
const [NAME_CHARACTERS, CN_CHARACTERS] = [255, 64]

/** Ours: the name of the domain, without characters that certificates cannot contain, shortened to the limit. */
const named = (domain: string, most: number): string =>
  Array.from(domain.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ''))
    .slice(0, most - SUFFIX.length)
    .join('') + SUFFIX

/** The name of the record, unless an administrator of the domain has used it meanwhile. */
async function freeName({ id, name }: { readonly id: string; readonly name: string }, caId: string): Promise<string> {
  const wanted = named(name, NAME_CHARACTERS)
  return (await localCas.holder(id, 'name', wanted)) === undefined ? wanted : keyNameOf(caId)
}

/** Stages the key, the authority with its certificate, and the record of that certificate at its parent. */
async function stageDomainCa(context: Context, issuer: CertifiedCa): Promise<void> {
  const { caller, changes, now } = context
  const { domain } = caller
  const id = uuid(now)
  const { keyId, made: csr } = await newAuthorityKey(context, id, { algorithm: 'ec', curveid: 'prime256v1' }, (key) =>
    makeRequest({ cn: named(domain.name, CN_CHARACTERS) }, NO_ALT_NAMES, key),
  )
  const request = await readRequest(csr)
  const inRoot: Context = {
    ...context,
    caller: { ...caller, domain: { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME } },
    about: (subject) =>
      alsoRecorded(
        { ...inRoot, changes },
        { service: 'ca', message: 'Issue Certificate', action: `part of ${context.summary}`, subject },
      ),
  }
  const validity = validityOf({}, now, DAYS, issuer)
  const { item } = await stageCertificate(inRoot, issuer, { ...request, purpose: 'ca', validity })
  leadToEndpoint(changes, CA_OWNER, domain.id, id)
  await stageNew(localCaKind, context, {
    ...commonFields(domain.id, id, uriOf(domain.id, 'local-ca', id), now),
    name: await freeName(domain, id),
    csr,
    ...factsOf(item.cert),
    purpose: { client_authentication: false, user_authentication: false },
    key_id: keyId,
  })
}

/**
 * Creates the planned authority of a new domain, unless it exists. It may be stopped anywhere and called again: one
 * transaction contains everything, including the end of the plan. Ours: a parent that was deleted or has expired
 * meanwhile signs nothing, and the domain gets no authority.
 */
export async function makeDomainCa(domain: string, now: Date): Promise<void> {
  const plan = await domainCaPlans.get(domain, domain)
  if (plan === undefined) return
  const { parent_ca_id: parentId, initiator, traceId, clientIp } = plan.item
  const parent = await localCas.get(ROOT_DOMAIN_ID, parentId)
  const summary = 'Create Local CA'
  const onBehalf: OnBehalf = {
    ...{ initiator, now, traceId, clientIp, summary, fingerprint: domain },
    action: 'part of Create Domain',
  }
  const changes = new Changes()
  changes.remove(domainCaPlans, domain, plan)
  if (parent !== undefined && caStateAt(parent.item, now) === 'active') {
    const { context, subject } = contextOnBehalf(onBehalf, changes)
    try {
      await stageDomainCa(context, certified(parent.item, now))
    } catch (error) {
      if (error instanceof Refusal) return postpone(domain, plan, now, error)
      throw error
    }
    recordOnBehalf(changes, onBehalf, subject())
  } else {
    const refusal = new Refusal('STATE_CONFLICT', 'The local CA that was to sign it is not active any more.')
    recordOnBehalf(changes, onBehalf, undefined, refusal)
  }
  await changes.commit(now)
}

async function postpone(domain: string, plan: Stored<DomainCaPlan>, now: Date, refusal: Refusal): Promise<void> {
  log('warn', 'a domain waits for its authority', { domain, ...errorFields(refusal) })
  const changes = new Changes()
  changes.update(domainCaPlans, domain, plan, { ...plan.item, startAt: dueAfter('domainAuthority', 1, now) })
  await changes.commit(now)
}
