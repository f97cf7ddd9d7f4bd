import { cloudCProjects } from '../../clouds/cloud-c/projects/store.ts'

/**
 * Whether successful calls for keys of a project are recorded, according to the project's `enable_success_audit_event`.
 * Ours: for a project that the domain does not manage they always are.
 * @throws Refusal UNAVAILABLE
 */
export async function recordsSuccesses(domain: string, projectId: string): Promise<boolean> {
  const id = await cloudCProjects.holder(domain, 'project', projectId)
  const project = id === undefined ? undefined : await cloudCProjects.get(domain, id)
  return project?.item.enable_success_audit_event ?? true
}
