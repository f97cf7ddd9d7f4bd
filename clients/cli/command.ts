/** The kinds of values that an option takes. */
export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'json'

/** An option of a command: a parameter of the query, or a field of the body. */
export interface OptionRow {
  /** without the hyphens, with a dot before the name of a field in an object: `key-policy.allow` */
  readonly option: string
  readonly in: 'query' | 'body'
  /** the name of the parameter, or the names of the fields that lead to this one */
  readonly path: readonly string[]
  readonly type: ValueType
  /** given several times: values of a list, or members of a map (`name=value`) */
  readonly many?: 'list' | 'map'
  readonly enum?: readonly (string | number)[]
  /** fields of an object that is given whole, as JSON or as name=value,name=value, with the kinds of their values */
  readonly members?: Readonly<Record<string, ValueType>>
  /** RFC 3339 */
  readonly time?: true
  /** always, or as soon as another field of the same object is given */
  readonly required?: 'always' | 'with-object'
  /** never taken from the command line */
  readonly secret?: true
  /** a secret of bytes: a file of it is sent in base64 */
  readonly bytes?: true
  readonly about?: string
}

/** A field that may be null, which clears it. */
export interface ClearableRow {
  /** without the hyphens; ends in `.*` for every member of a map */
  readonly option: string
  readonly path: readonly string[]
}

/** How the id of a name is found. */
export interface LookUp {
  readonly path: string
  readonly filter: string
  /** property of a record that says which container it is in */
  readonly container?: string
}

/** A word of the path that is given by position. */
export interface PositionRow {
  readonly name: string
  /** the list that has the name; without one the value goes out as it is */
  readonly lookup?: LookUp
  readonly enum?: readonly string[]
}

/** One operation of the interface as a command. */
export interface CommandRow {
  /** after the first one */
  readonly words: readonly string[]
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** who may call, and what else is said of the operation */
  readonly about: string
  readonly positions: readonly PositionRow[]
  readonly options: readonly OptionRow[]
  readonly clearable?: readonly ClearableRow[]
  /** media type of the body */
  readonly sends?: string
  readonly isBodyRequired?: true
  /** sentences about fields that depend on each other */
  readonly rules?: string
  /** names of the headers that it takes */
  readonly headers: readonly string[]
  /** media type of the answer */
  readonly answers: string
  readonly isPage?: true
  /** properties of the answer, or of the rows of a page, that have one value */
  readonly columns: readonly string[]
  /** the call of a dry run instead */
  readonly preview?: PreviewRow
  /** begins or shows a job, which can be waited for */
  readonly isJob?: true
  /** no operation of the service, but something that keymgr does itself */
  readonly own?: true
}

/** A call that tells what another one would do, and does nothing. */
export interface PreviewRow {
  readonly method: string
  readonly path: string
  /** the field of the same call that makes it a trial */
  readonly field?: string
  /** the fields that the other call takes */
  readonly fields?: readonly string[]
}

/** All commands that begin with the same word; the content of one file. */
export interface Group {
  readonly word: string
  readonly commands: readonly CommandRow[]
}

/** Facts about a group that are known without reading its file. */
export interface GroupHead {
  readonly word: string
  readonly about: string
}
