import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { NestedStack, type Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { synthesize } from '../../../infra/aws/synthesize.ts'
import { FUNCTIONS } from '../../../infra/functions.ts'

/** A minimal bundle: its content does not matter to the stacks. */
const BUNDLE = 'export const handler = () => undefined\n'

export interface Told {
  readonly context?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  /** Also checks the templates against CloudFormation's schemas. This takes a second, so only one file does it. */
  readonly templatesChecked?: boolean
}

interface RawTemplate {
  readonly Resources: Record<string, { readonly Properties?: { readonly Parameters?: Record<string, unknown> } }>
  readonly Outputs?: Record<string, { readonly Value: unknown }>
}

const rawTemplate = (stack: Stack) => Template.fromStack(stack).toJSON() as RawTemplate

/** `value` with each intrinsic function that `meaningOf` knows replaced by its value. */
function resolved(value: unknown, meaningOf: (intrinsic: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const meaning = meaningOf(JSON.stringify(value))
  if (meaning !== undefined) return meaning
  if (Array.isArray(value)) return value.map((each) => resolved(each, meaningOf))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, meaningOf)]))
}

/**
 * The service's template merged with the resources of its nested stacks: the parameters and outputs between them are
 * replaced by the values that they pass.
 */
function wholeTemplate(service: Stack): Template {
  const nested = service.node.findAll().filter((each) => each instanceof NestedStack)
  const outer = rawTemplate(service)
  const carried = new Map<string, unknown>()
  for (const stack of nested) {
    const id = service.resolve(stack.nestedStackResource?.logicalId) as string
    for (const [name, value] of Object.entries(outer.Resources[id]?.Properties?.Parameters ?? {}))
      carried.set(JSON.stringify({ Ref: name }), value)
    for (const [name, { Value }] of Object.entries(rawTemplate(stack).Outputs ?? {}))
      carried.set(JSON.stringify({ 'Fn::GetAtt': [id, `Outputs.${name}`] }), Value)
  }
  const meaningOf = (intrinsic: string): unknown =>
    carried.has(intrinsic) ? resolved(carried.get(intrinsic), meaningOf) : undefined
  const all = [outer, ...nested.map(rawTemplate)].flatMap(({ Resources }) => Object.entries(Resources))
  const Resources = resolved(Object.fromEntries(all), meaningOf) as Record<string, object>
  if (Object.keys(Resources).length < all.length) throw new Error('Two stacks have a logical id in common')
  return Template.fromJSON({ Resources })
}

/** Synthesizes the stacks into a temporary folder. The caller removes `folder`. */
export function synthesized({ environment = {}, templatesChecked = false, context = {} }: Told = {}) {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-aws-'))
  const bundles = path.join(folder, 'bundles')
  for (const { name } of FUNCTIONS) {
    fs.mkdirSync(path.join(bundles, name), { recursive: true })
    fs.writeFileSync(path.join(bundles, name, 'index.mjs'), `${BUNDLE}// ${name}\n`)
  }
  try {
    const outDir = path.join(folder, 'out')
    const result = synthesize({ bundles, outDir, environment, context, templatesChecked })
    return {
      ...result,
      folder,
      outDir,
      foundationTemplate: Template.fromStack(result.foundation),
      serviceTemplate: wholeTemplate(result.service),
    }
  } catch (error) {
    fs.rmSync(folder, { recursive: true })
    throw error
  }
}

/** A statement of a policy, with single values as lists. */
export interface Statement {
  readonly sid: string
  readonly effect: string
  readonly actions: readonly string[]
  /** as in the template: texts, or intrinsic functions as JSON */
  readonly resources: readonly string[]
  readonly conditions: unknown
}

interface RawStatement {
  readonly Sid?: string
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource: unknown
  readonly Condition?: unknown
}

interface RawPolicy {
  readonly Properties: {
    readonly PolicyDocument: { readonly Statement: readonly RawStatement[] }
    readonly Roles: readonly { readonly Ref: string }[]
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value])

/** Every statement granted to the role with this logical id, or to any role. */
export function statementsOf(template: Template, roleId?: string): Statement[] {
  const policies = Object.values(template.findResources('AWS::IAM::Policy')) as RawPolicy[]
  return policies
    .filter(({ Properties }) => roleId === undefined || Properties.Roles.some(({ Ref }) => Ref === roleId))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .map(({ Sid, Effect, Action, Resource, Condition }) => ({
      sid: Sid ?? '',
      effect: Effect,
      actions: listOf(Action) as string[],
      resources: listOf(Resource).map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
      conditions: Condition,
    }))
}

export interface FunctionResource {
  readonly logicalId: string
  readonly roleId: string
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly FunctionName: string
    readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> }
    readonly LoggingConfig: { readonly LogGroup: { readonly Ref: string } }
  }
}

/** @throws Error if the deployment does not have the function */
export function functionIn(template: Template, name: string): FunctionResource {
  const found = Object.entries(template.findResources('AWS::Lambda::Function')) as [
    string,
    { Properties: FunctionResource['properties'] & { Role: { 'Fn::GetAtt': [string, string] } } },
  ][]
  const entry = found.find(([, { Properties }]) => Properties.FunctionName === `keymgr-${name}`)
  if (entry === undefined) throw new Error(`There is no function keymgr-${name}`)
  const [logicalId, { Properties }] = entry
  return { logicalId, roleId: Properties.Role['Fn::GetAtt'][0], properties: Properties }
}
