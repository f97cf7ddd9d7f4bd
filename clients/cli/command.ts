/** The kinds of values of an option. */
export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'json'

/** An option of a command: a parameter of the query, or a field of the body. */
export interface OptionRow {
  /** without the hyphens, with a dot before the name of a nested field: `key-policy.allow` */
  readonly option: string
  readonly in: 'query' | 'body'
  /** the name of the parameter, or the names of the fields that lead to this one */
  readonly path: readonly string[]
  readonly type: ValueType
  /** may be given several times: values of a list, or members of a map (`name=value`) */
  readonly many?: 'list' | 'map'
  readonly enum?: readonly (string | number)[]
  /** limits of a number */
  readonly least?: number
  readonly most?: number
  /** the value that the service takes without the option */
  readonly usual?: string
  /**
   * fields of an object that may be given as a whole, as JSON or as name=value,name=value, with the kinds of their
   * values
   */
  readonly members?: Readonly<Record<string, ValueType>>
  /** RFC 3339 */
  readonly time?: true
  /** resolves a name where the operation accepts ids only */
  readonly lookup?: LookUp
  /** always, or when another field of the same object is given */
  readonly required?: 'always' | 'with-object'
  /** not accepted from the command line */
  readonly secret?: true
  /** a secret that is bytes: the content of its file is sent in base64 */
  readonly bytes?: true
  readonly about?: string
}

/** A field that accepts null, which clears it. */
export interface ClearableRow {
  /** without the hyphens; ends in `.*` for every member of a map */
  readonly option: string
  readonly path: readonly string[]
}

/** How a name is resolved to an id. */
export interface LookUp {
  readonly path: string
  readonly filter: string
  /** property of a record that names its container */
  readonly container?: string
}

/** A path parameter, given by position. */
export interface PositionRow {
  readonly name: string
  /** the list that contains the name; without it, the value is sent as it is */
  readonly lookup?: LookUp
  readonly enum?: readonly string[]
}

/** One operation of the API as a command. */
export interface CommandRow {
  /** the words after the first one */
  readonly words: readonly string[]
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** permission, and other facts about the operation */
  readonly about: string
  readonly positions: readonly PositionRow[]
  readonly options: readonly OptionRow[]
  readonly clearable?: readonly ClearableRow[]
  /** media type of the body */
  readonly sends?: string
  readonly isBodyRequired?: true
  /** sentences about fields that depend on each other */
  readonly rules?: string
  /** names of the headers that it accepts */
  readonly headers: readonly string[]
  /** media type of the answer */
  readonly answers: string
  readonly isPage?: true
  /** properties of the answer, or of the rows of a page, that have a single value */
  readonly columns: readonly string[]
  /** the call that a dry run makes instead */
  readonly preview?: PreviewRow
  /** what cannot be undone after it, in a sentence */
  readonly lost?: string
  /** starts or shows a job, for which `--wait` can wait */
  readonly isJob?: true
  /** a command of keymgr itself, not an operation of the service */
  readonly own?: true
}

/** A call that reports the effect of another one without having it. */
export interface PreviewRow {
  readonly method: string
  readonly path: string
  /** the field of the same call that makes it a dry run */
  readonly field?: string
  /** the parameter of the same call that makes it a dry run */
  readonly parameter?: string
  /** the fields that the other call accepts */
  readonly fields?: readonly string[]
  /** columns of its answer */
  readonly columns: readonly string[]
}

/** All commands with the same first word; the content of one file. */
export interface Group {
  readonly word: string
  readonly commands: readonly CommandRow[]
}

/** Facts about a group that are known without reading its file. */
export interface GroupHead {
  readonly word: string
  readonly about: string
}
