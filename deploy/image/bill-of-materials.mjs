/** Writes the list of everything that an image adds to its base image: `bom.cdx.json`, CycloneDX 1.6. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';

/** @param folder an installed production tree @param manifest package.json of its service */
export function writeBillOfMaterials(folder, manifest) {
  const bom = new Models.Bom();
  bom.metadata.component = componentOf(manifest, Enums.ComponentType.Application);
  bom.metadata.timestamp = new Date();
  for (const found of installedIn(folder)) bom.components.add(componentOf(found, Enums.ComponentType.Library));
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  writeFileSync(join(folder, 'bom.cdx.json'), serializer.serialize(bom, { sortLists: true, space: 1 }));
}

/** Returns the manifests of all installed packages: pnpm keeps each one at node_modules/.pnpm/<id>/node_modules/<name>. */
function installedIn(folder) {
  const store = join(folder, 'node_modules/.pnpm');
  const manifests = new Map();
  for (const id of readdirSync(store)) {
    const modules = join(store, id, 'node_modules');
    if (!existsSync(modules)) continue;
    const names = readdirSync(modules).flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name],
    );
    for (const name of names) {
      const file = join(modules, name, 'package.json');
      if (!existsSync(file)) continue;
      const manifest = JSON.parse(readFileSync(file, 'utf8'));
      manifests.set(`${manifest.name}@${manifest.version}`, manifest);
    }
  }
  return manifests.values();
}

function componentOf({ name, version, license }, type) {
  const [group, plain] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${plain}@${version}`;
  const component = new Models.Component(type, plain, { group, version, purl, bomRef: purl });
  if (typeof license === 'string') component.licenses.add(new Models.LicenseExpression(license));
  return component;
}
