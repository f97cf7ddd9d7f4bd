import type { Context } from '../../http/context.ts'
import { findRecord } from '../../resource/records.ts'
import type { PolicyDecision } from '../../endpoint/policy-model.ts'
import { decisionOf } from '../../endpoint/policy-test.ts'
import { dialectOf } from '../../endpoint/policy-upload.ts'
import { policyInput } from '../../serving/policy-input.ts'
import type { Stored } from '../../store/entity.ts'
import { changeLive } from './change-endpoint.ts'
import { DEFAULT_PERIMETER } from './perimeter-default.ts'
import type { TestPerimeter } from './perimeter-model.ts'
import { kaclsEndpointKind } from './records.ts'
import type { StoredKaclsEndpoint } from './store.ts'

type Perimeter = NonNullable<StoredKaclsEndpoint['perimeter']>

const perimeterOf = ({ perimeter }: StoredKaclsEndpoint): Perimeter =>
  perimeter ?? { text: DEFAULT_PERIMETER, dialect: 'v1' }

/** The Rego that decides for an endpoint. @throws Refusal NOT_FOUND */
export async function getPerimeter(context: Context, id: string): Promise<Stored<string>> {
  const { item, rev } = await findRecord(kaclsEndpointKind, context, id)
  return { item: perimeterOf(item).text, rev }
}

/**
 * Replaces the perimeter, which is compiled once to check it. If it does not compile, the present one stays.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived endpoint, RULE_BROKEN
 */
export async function setPerimeter(context: Context, id: string, text: string): Promise<Stored<string>> {
  const { rev } = await changeLive(context, id, async (endpoint) => ({
    ...endpoint,
    perimeter: { text, dialect: await dialectOf(text, '#') },
  }))
  return { item: text, rev }
}

/**
 * The perimeter of an endpoint, or another text, which is compiled to check it. @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function perimeterToTry(context: Context, id: string, text: string | undefined): Promise<Perimeter> {
  const { item } = await findRecord(kaclsEndpointKind, context, id)
  return text === undefined ? perimeterOf(item) : { text, dialect: await dialectOf(text, '#/perimeter') }
}

/**
 * The decision of a perimeter on an input, and the rule that decided. Ours: tests the perimeter alone, without the
 * checks before it (tokens, role, address, same person).
 * @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function testPerimeter(
  context: Context,
  id: string,
  { input, perimeter: text }: TestPerimeter,
): Promise<PolicyDecision> {
  return decisionOf(context, await perimeterToTry(context, id, text), policyInput(input))
}
