import * as z from 'zod'
import { defined } from '../../shared/base/fields.ts'
import { APPROVAL, APPROVAL_REASON, mayBeRuled } from '../../shared/http/approval.ts'
import { offersDryRun } from '../../shared/http/dry-run.ts'
import type { RouteRow } from '../routes.ts'
import { wordsOfOperation } from './operation-ids.ts'
import { schemaOf, type Json } from './schemas.ts'
import { pascal } from './words.ts'

/** Description of a query parameter, inside the wrappers of optional and default. */
function described(field: z.ZodType): { query?: Json; description?: string } {
  const meta = (field.meta() ?? {}) as { query?: Json; description?: string } // set by shared/http/lists/list-query.ts
  if (meta.query !== undefined || !('unwrap' in field) || typeof field.unwrap !== 'function') return meta
  return described((field.unwrap as () => z.ZodType)())
}

function parametersIn(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { query, description } = described(field)
    const shown = where === 'query' ? (query ?? {}) : schemaOf(field, 'input')
    return {
      name,
      in: where,
      ...(where === 'path' && { required: true }),
      ...defined({ description }),
      schema: shown,
    }
  })
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description: 'the ETag last seen; 412 when the record has changed since',
  schema: { type: 'string' },
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'the first answer is given again for 24 hours',
  schema: { type: 'string', maxLength: 128 },
}

const DRY_RUN = {
  name: 'dry_run',
  in: 'query',
  description: 'true: nothing changes; the answer (200) is a DryRun, which lists what would change',
  schema: { type: 'boolean' },
}

const APPROVALS = [
  {
    name: APPROVAL,
    in: 'header',
    description: 'id of an approved request, which the call uses; it must be the call that was approved',
    schema: { type: 'string', format: 'uuid' },
  },
  {
    name: APPROVAL_REASON,
    in: 'header',
    description:
      'asks for the approval that a rule wants instead of making the call; 202 with the request. Other characters than ASCII, and %, percent-encoded',
    schema: { type: 'string' },
  },
]

/** Parameters of an operation: of its path, its query, and the header fields that its method accepts. */
export function parametersOf(route: RouteRow): Json[] {
  const { method, operation } = route
  const { declaration } = operation
  const { path, query, once, reads } = declaration
  return [
    ...parametersIn(path, 'path'),
    ...parametersIn(query, 'query'),
    ...(offersDryRun(route) ? [DRY_RUN] : []),
    ...(['PATCH', 'PUT', 'DELETE'].includes(method) ? [IF_MATCH] : []),
    ...(method === 'POST' && once === undefined && reads !== true ? [IDEMPOTENCY_KEY] : []),
    ...(mayBeRuled(route) ? APPROVALS : []),
  ]
}

/** Parameters of several operations, each once and with a name. */
export class Parameters {
  readonly #uses = new Map<string, { parameter: Json; owners: string[] }>()

  /** Counts the parameters of an operation. */
  count(route: RouteRow, parameters: readonly Json[]): void {
    const [, ...noun] = wordsOfOperation(route).split(' ')
    for (const parameter of parameters) {
      const text = JSON.stringify(parameter)
      const use = this.#uses.get(text) ?? { parameter, owners: [] }
      use.owners.push(pascal(noun.join(' ')))
      this.#uses.set(text, use)
    }
  }

  /** @returns references to parameters that occur at least twice, under the names in `components` */
  named(): { components: Json; reference: (parameter: Json) => Json } {
    const names = new Map<string, string>()
    const components: Json = {}
    for (const [text, { parameter, owners }] of this.#uses) {
      if (owners.length < 2) continue
      const simple = pascal(String(parameter.name))
      const wishes = [simple, ...(parameter.in === 'query' ? [`${simple}Filter`] : []), simple + String(owners[0])]
      const name = wishes.find((wish) => !(wish in components))
      if (name === undefined) throw new Error(`Another parameter is named ${wishes.join(' and ')} already`)
      components[name] = parameter
      names.set(text, name)
    }
    const reference = (parameter: Json): Json => {
      const name = names.get(JSON.stringify(parameter))
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
    }
    return { components, reference }
  }
}
