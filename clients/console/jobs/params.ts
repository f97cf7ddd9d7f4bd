import { labelOf } from '../resources/shown.ts'
import { NEW_CONFIG, type JobConfig } from './fields.ts'

/** Parameters by their paths: those of a cloud are objects in them. */
const leavesOf = (params: object, above = ''): readonly (readonly [path: string, value: unknown])[] =>
  Object.entries(params).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leavesOf(value, `${above}${name}/`)
      : [[`${above}${name}`, value] as const],
  )

/** The parameters of a configuration, in the words of its form. */
export const paramsInWords = ({ job_config_params }: JobConfig): readonly (readonly [label: string, text: string])[] =>
  leavesOf(job_config_params).map(([path, value]) => {
    const fields = NEW_CONFIG.filter(({ name }) => [path, `${path}/0`].includes(name.slice(name.indexOf('/') + 1)))
    const choices = fields.flatMap(({ choices: given = [] }) => (typeof given === 'function' ? [] : given))
    const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) =>
      typeof one === 'boolean'
        ? one
          ? 'Yes'
          : 'No'
        : (choices.find((choice) => choice.value === one)?.label ?? String(one)),
    )
    return [fields[0]?.label ?? labelOf(path.slice(path.lastIndexOf('/') + 1)), texts.join(', ')]
  })
