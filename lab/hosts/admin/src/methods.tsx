import {
  BooleanField,
  BooleanInput,
  Create,
  DataTable,
  List,
  NullableBooleanInput,
  NumberInput,
  SearchInput,
  SimpleForm,
  TextInput,
} from 'react-admin';

const filters = [
  <SearchInput key="q" source="q" alwaysOn />,
  <NullableBooleanInput key="is_active" source="is_active" label="Active" alwaysOn />,
];

export function MethodList() {
  return (
    <List filters={filters}>
      <DataTable>
        <DataTable.Col source="carrier_code" disableSort />
        <DataTable.Col source="method_code" disableSort />
        <DataTable.Col source="method_label" disableSort />
        <DataTable.Col source="is_active" field={BooleanField} disableSort />
        <DataTable.Col source="sort_order" disableSort />
      </DataTable>
    </List>
  );
}

export function MethodForm() {
  return (
    <SimpleForm>
      <TextInput source="carrier_code" />
      <TextInput source="carrier_label" />
      <TextInput source="method_code" />
      <TextInput source="method_label" />
      <BooleanInput source="is_active" defaultValue />
      <NumberInput source="sort_order" />
    </SimpleForm>
  );
}

export function MethodCreate() {
  return (
    <Create>
      <MethodForm />
    </Create>
  );
}
