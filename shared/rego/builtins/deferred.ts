import type { FunctionBuiltin } from './builtin.ts'

/** A group's built-ins by name. */
export type Evaluations = Readonly<Record<string, FunctionBuiltin['evaluate']>>

/**
 * Rows of a group whose code, with its dependencies, is imported when a policy first calls one of them: a process that
 * only compares texts starts without a regular expression engine, a YAML parser, or the code for tokens.
 * @param rows must name exactly the members of the group
 */
export function deferred<Group extends Evaluations>(
  importGroup: () => Promise<Group>,
  rows: { readonly [Name in keyof Group & string]: Pick<FunctionBuiltin, 'arity' | 'deprecated'> },
): FunctionBuiltin[] {
  let group: Evaluations | undefined
  const load = async (): Promise<void> => {
    group ??= await importGroup()
  }
  return Object.entries<Pick<FunctionBuiltin, 'arity' | 'deprecated'>>(rows).map(([name, row]) => ({
    ...row,
    name,
    load,
    evaluate: (operands, context) => {
      const evaluate = group?.[name]
      if (evaluate === undefined) throw new Error(`${name} is called before it was loaded`)
      return evaluate(operands, context)
    },
  }))
}
