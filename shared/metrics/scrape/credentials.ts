import { hash, randomBytes } from 'node:crypto'
import { without } from '../../base/fields.ts'
import { resourceUri, ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME } from '../../base/ids.ts'
import { Refusal } from '../../base/errors.ts'
import { constantTimeEqual } from '../../crypto/constant-time.ts'
import type { HttpEvent } from '../../http/request/call.ts'
import type { Caller, Context } from '../../http/context.ts'
import { createdStored, operation, route, type Route } from '../../http/operation.ts'
import type { Authenticate } from '../../http/serve.ts'
import { newCommonFields, stageNew } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import { CreateScrapeCredential, NewScrapeCredential, ScrapeCredential, ScrapeCredentialQuery } from './model.ts'
import { scrapeCredentials } from './store.ts'

/** 43 characters of base64url. */
const SECRET_BYTES = 32
const TOKEN = /^bearer +keymgr-scrape\.([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/i

const secretHash = (secret: string): string => hash('sha256', secret)

/** @throws Refusal ACTION_DENIED outside the root domain: the metrics cover all domains */
function assertRoot({ caller }: Context): void {
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Credentials for the metrics of the deployment are of the root domain.')
}

/** Credentials of one purpose: a scraper reads the metrics with the token, which needs no renewal. */
const credentials = resource({
  entity: scrapeCredentials,
  noun: 'scrape credential',
  title: 'Scrape Credential',
  at: '/v1/system/scrape-credentials',
  reads: 'admins',
  changes: 'admins',
  answers: ScrapeCredential,
  query: ScrapeCredentialQuery,
  uri: (domain, id) => resourceUri(domain, 'system', 'scrape-credentials', id),
  audited: ['name'],
  admit: assertRoot,
  present: (credential) => without(credential, 'secret_hash'),
})

/** POST /v1/system/scrape-credentials: shows the token once. */
const create = operation(
  {
    summary: 'Create Scrape Credential',
    body: CreateScrapeCredential,
    answers: NewScrapeCredential,
    status: 201,
    may: 'admins',
    once: true,
  },
  async ({ body: { name }, context }) => {
    assertRoot(context)
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const { item, rev } = await stageNew(credentials, context, {
      ...newCommonFields(credentials, context),
      ...{ name, created_by: context.caller.username, secret_hash: secretHash(secret) },
    })
    return createdStored({ item: { ...item, token: `keymgr-scrape.${item.id}.${secret}` }, rev })
  },
)

export const scrapeRoutes: readonly Route[] = [...credentials.routes, route('POST', credentials.at, create)]

/** A scraper may do what auditors may, at the one address where its token is accepted. */
const scraper = (id: string, name: string): Caller => ({
  sub: `scrape|${id}`,
  username: name,
  domain: { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME },
  homeDomainId: ROOT_DOMAIN_ID,
  groups: ['Audit Admins'],
  sessionId: undefined,
})

const METRICS = '/api/v1/system/metrics'
const readsMetrics = ({ requestContext: { http } }: HttpEvent): boolean =>
  http.path === METRICS && http.method === 'GET'

/** Accepts the token of a scrape credential for the metrics, and leaves every other call to `others`. */
export const withScrapers =
  (others: Authenticate): Authenticate =>
  async (event) => {
    const [, id, secret] = TOKEN.exec(event.headers.authorization ?? '') ?? []
    if (id === undefined || secret === undefined || !readsMetrics(event)) return others(event)
    const credential = (await scrapeCredentials.get(ROOT_DOMAIN_ID, id))?.item
    const isRight =
      credential !== undefined &&
      constantTimeEqual(Buffer.from(secretHash(secret)), Buffer.from(credential.secret_hash))
    if (!isRight) throw new Refusal('TOKEN_INVALID', 'The scrape credential is not valid: it may be deleted.')
    return scraper(id, credential.name)
  }
