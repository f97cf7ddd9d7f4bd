import { AuditPath, AuditQuery, describedAuditRecord } from '../http/audit/model.ts'
import { listOf } from '../http/common-fields.ts'
import { ok, operation, route, type Route } from '../http/operation.ts'
import { evidenceRoutes } from './evidence/operations.ts'
import { cryptographicBom } from './cbom/cbom.ts'
import { Cbom } from './cbom/model.ts'
import { getAuditRecord, listAuditRecords } from './list-records.ts'

const AuditRecord = describedAuditRecord()

/** GET /v1/audit/records: newest first. */
export const list = operation(
  { summary: 'List Audit Records', query: AuditQuery, answers: listOf(AuditRecord), may: 'audit-readers' },
  async ({ query, context }) => ok(await listAuditRecords(context, query)),
)

/** a record never changes, so its ETag is constant */
const NEVER_CHANGED = 1

/** GET /v1/audit/records/{id} */
export const get = operation(
  { summary: 'Get Audit Record', path: AuditPath, answers: AuditRecord, may: 'audit-readers' },
  async ({ path, context }) => ok(await getAuditRecord(context, path.id), NEVER_CHANGED),
)

/** GET /v1/audit/client-records. Ours: a client uploads no records; these are the records of its calls. */
export const listOfClients = operation(
  { summary: 'List Client Audit Records', query: AuditQuery, answers: listOf(AuditRecord), may: 'audit-readers' },
  async ({ query, context }) => ok(await listAuditRecords(context, query, 'clients')),
)

/** GET /v1/audit/client-records/{id} */
export const getOfClient = operation(
  { summary: 'Get Client Audit Record', path: AuditPath, answers: AuditRecord, may: 'audit-readers' },
  async ({ path, context }) => ok(await getAuditRecord(context, path.id, 'clients'), NEVER_CHANGED),
)

/** GET /v1/audit/cbom: the cryptography of the caller's domain, as CycloneDX 1.6. */
export const cbom = operation(
  { summary: 'Get Cryptographic Bill of Materials', answers: Cbom, may: 'audit-readers' },
  async ({ context }) => ok(await cryptographicBom(context)),
)

/** Audit records, their evidence, and the cryptography in use, for auditors. */
export const routes: readonly Route[] = [
  route('GET', '/v1/audit/cbom', cbom),
  route('GET', '/v1/audit/records', list),
  route('GET', '/v1/audit/records/{id}', get),
  route('GET', '/v1/audit/client-records', listOfClients),
  route('GET', '/v1/audit/client-records/{id}', getOfClient),
  ...evidenceRoutes,
]
