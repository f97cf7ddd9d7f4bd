import { listOf } from '../../http/common-fields.ts'
import { ok, operation, route, type Route } from '../../http/operation.ts'
import { JwkSet } from '../../identity/tokens/signing-key-model.ts'
import { domainAsked } from '../domain-asked.ts'
import { evidenceJwks } from './key.ts'
import { listHeads } from './list-heads.ts'
import {
  AuditTreeHead,
  ConsistencyProof,
  ConsistencyQuery,
  EvidenceKeyQuery,
  HeadQuery,
  InclusionProof,
  InclusionQuery,
} from './model.ts'
import { proveConsistency, proveInclusion } from './proofs.ts'

/** GET /v1/audit/heads: newest first. */
const heads = operation(
  { summary: 'List Audit Tree Heads', query: HeadQuery, answers: listOf(AuditTreeHead), may: 'audit-readers' },
  async ({ query, context }) => ok(await listHeads(context, query)),
)

/** GET /v1/audit/heads/jwks.json: the keys of all heads. */
const keys = operation(
  { summary: 'Get Audit Evidence Keys', query: EvidenceKeyQuery, answers: JwkSet, may: 'audit-readers' },
  async ({ query, context }) => ok({ keys: await evidenceJwks(await domainAsked(context, query.domain)) }),
)

/** GET /v1/audit/proofs/inclusion */
const inclusion = operation(
  { summary: 'Prove Audit Record', query: InclusionQuery, answers: InclusionProof, may: 'audit-readers' },
  async ({ query, context }) => ok(await proveInclusion(context, query)),
)

/** GET /v1/audit/proofs/consistency */
const consistency = operation(
  { summary: 'Prove Audit Tree', query: ConsistencyQuery, answers: ConsistencyProof, may: 'audit-readers' },
  async ({ query, context }) => ok(await proveConsistency(context, query)),
)

/** Heads of the tree of audit records, and proofs against them. */
export const evidenceRoutes: readonly Route[] = [
  route('GET', '/v1/audit/heads', heads),
  route('GET', '/v1/audit/heads/jwks.json', keys),
  route('GET', '/v1/audit/proofs/inclusion', inclusion),
  route('GET', '/v1/audit/proofs/consistency', consistency),
]
