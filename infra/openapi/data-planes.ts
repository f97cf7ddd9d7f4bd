import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import type { DescribedCall, DescribedProtocol } from '../../shared/endpoint/described.ts'
import type { Protocol } from '../../shared/endpoint/protocol.ts'
import type { Schemas } from './components.ts'
import { ownRefusal, success } from './responses.ts'
import { schemaOf, type Json } from './schemas.ts'
import { camel, capitalized, pascal } from './words.ts'

const BEARER = 'bearer'

/** Name of the authentication scheme of a protocol's calls. */
const schemeOf = ({ name }: Protocol, { security }: DescribedProtocol): string =>
  security === undefined ? BEARER : `${name}Caller`

/** The schemes of which a caller uses one. */
const schemesOf = (row: Protocol, plane: DescribedProtocol): object[] =>
  plane.security === 'in body'
    ? []
    : [{ [schemeOf(row, plane)]: [] }, ...(plane.acceptsBearer ? [{ [BEARER]: [] }] : [])]

const wish = (name: string) => ({ name, rank: 0 })

function callOf(
  row: Protocol,
  plane: DescribedProtocol,
  { summary, path, body, answers, isOpen, isFormer }: DescribedCall,
  schemas: Schemas,
): Json {
  const id = camel(summary)
  const refused = ownRefusal(plane.refused, `${pascal(row.name)}Refusal`, schemas)
  return {
    operationId: id,
    summary,
    tags: [row.dataPlane],
    description: isOpen ? 'No token needed.' : plane.callers,
    ...(isFormer && { deprecated: true }),
    security: isOpen ? [] : schemesOf(row, plane),
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemas.use(schemaOf(body, 'input'), wish(`${capitalized(id)}Request`)) },
        },
      },
    }),
    responses: {
      200: success(200, schemas.use(schemaOf(answers, 'output'), wish(`${capitalized(id)}Answer`))),
      default: refused,
    },
  }
}

interface Planes {
  readonly paths: Record<string, Json>
  readonly securitySchemes: Json
  readonly tags: readonly string[]
}

/** Calls of the data planes, generated from the rows of the protocols. */
export async function dataPlanes(schemas: Schemas): Promise<Planes> {
  const paths: Record<string, Json> = {}
  const securitySchemes: Json = {}
  for (const row of PROTOCOLS) {
    const plane = await row.described()
    if (typeof plane.security === 'object') securitySchemes[schemeOf(row, plane)] = plane.security
    for (const call of plane.calls)
      (paths[call.path] ??= {})[call.method.toLowerCase()] = callOf(row, plane, call, schemas)
  }
  return { paths, securitySchemes, tags: PROTOCOLS.map(({ dataPlane }) => dataPlane) }
}
