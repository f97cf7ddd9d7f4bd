import { lastOf, type Schema, type Schemas } from './schema.ts'

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Answer {
  readonly $ref?: string
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
  /** 0 to 3 */
  readonly 'x-keymgr-danger'?: number
  /** what cannot be undone after it, in a sentence */
  readonly 'x-keymgr-lost'?: string
}

export type PathItem = Readonly<Record<string, Operation>>

interface Tag {
  readonly name: string
  readonly description: string
  /** marks calls of outside systems, which have separate credentials */
  readonly 'x-keymgr-data-plane'?: true
}

export interface Description {
  /** what job configurations can do with the keys of each cloud */
  readonly 'x-keymgr-work': Readonly<Record<string, object>>
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Schemas
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

export const parametersOf = ({ components }: Description, { parameters = [] }: Operation): Parameter[] =>
  parameters.flatMap((each) => (each.$ref === undefined ? [each] : (components.parameters[lastOf(each.$ref)] ?? [])))
